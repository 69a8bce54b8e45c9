// A procedural road world with exact depth and a known structured Gaussian over it.
//
// A scene is a function of one seed: a pinhole camera 1.65 m above a road with lane marks,
// pavements and grass; houses, cars, poles, trees, hedges; sun with shadows, haze, clouds. Nothing
// is read from files. Depth can be learnt from the image: camera height, sizes of things, haze and
// perspective are the same or alike in all scenes.
//
// The Gaussian is over logits of disparity (docs/method.md "Depth and logits"). Mean: the logits of
// the true depth, smoothed over a pixel. Its factor of radius 2 is made from the covariance
//
//   k(n,m) = s_n s_m · 2ℓ_nℓ_m/(ℓ_n² + ℓ_m²) · (1 + t)·e^−t + [n = m]·(0.02·s_n)²
//   t² = 3·(|n − m|²/(½(ℓ_n² + ℓ_m²)) + (g_n − g_m)²)
//
// a Matérn-3/2 field with a range of each pixel's own (Paciorek and Schervish, 2006) over the image
// and one further coordinate g: positive definite for any maps. Pixel n is regressed on its later
// neighbours J with the exact k (Vecchia's approximation),
//   w = K_JJ⁻¹ k_Jn,  v = k_nn − wᵀk_Jn,  x_n = c_n·(Σ_k w_k x_k/c_k + √v·ε_n),
// and c_n, near 1, is such that the marginal standard deviation of the result is s_n exactly.
// The scene enters by s, larger far away and where the image shows no texture; by ℓ, longer where
// the image shows no texture; and by g = 1.5·log depth, which breaks the correlation at depth
// edges.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/image_size.hpp"

namespace supn {

// Focal length over image width, and the principal point's row over image height: about KITTI's.
inline constexpr double kRoadFocalOverWidth = 0.581;
inline constexpr double kRoadPrincipalHeight = 0.47;
inline constexpr double kRoadCameraHeight = 1.65;  // metres
// Given to the sky for mean and spread; the sky has no ground truth.
inline constexpr double kRoadSkyDepth = 160.0;
// Depth [m] = scale / disparity, as of networks trained on KITTI's stereo pairs.
inline constexpr double kRoadDepthScale = 5.4;

struct RoadView {
  at::Tensor rgb;      // uint8 [H,W,3]
  at::Tensor depth_m;  // float32 [H,W], z of the pixel's centre, 0 = sky
};

// Returns the scene of a seed at any size of the same shape: a larger size shows the same scene
// finer. Throws c10::Error unless both sides are in 16 … 4096.
RoadView render_road(std::uint64_t seed, const ImageSize& size);

// Returns float64 [H,W], kRoadSkyDepth for the sky.
at::Tensor road_depth(const RoadView& view);

// The maps that make the covariance; float64 [H,W] each.
struct RoadSpread {
  at::Tensor std;           // s, logits
  at::Tensor range;         // ℓ, pixels
  at::Tensor edge_feature;  // g
};
RoadSpread road_spread(const RoadView& view);

// B = 1, float32, radius 2, over logits for depth = scale / disparity. One thread.
StructuredGaussian road_gaussian(const RoadView& view, double scale);

}  // namespace supn
