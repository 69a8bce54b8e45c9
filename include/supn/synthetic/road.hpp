// A procedural road world with exact depth and a known structured Gaussian over it.
//
// A scene is a function of one seed: a pinhole camera 1.65 m above a road with lane marks,
// pavements and grass; houses, cars, poles, trees, hedges; sun with shadows, haze, clouds. Nothing
// is read from files. Depth can be learnt from the image: camera height, sizes of things, haze and
// perspective are the same or alike in all scenes.
//
// The ensemble of a scene is a Gaussian over logits of disparity (docs/method.md "Depth and logits"),
// known exactly. Its members err as those of a real ensemble do.
//
// Spread. s, the standard deviation, says how hard a pixel is: log s is a sum of terms for what is
// far away, plain (no texture), dark (shade, dark paint, glass), half hidden behind something nearer,
// at a depth edge, or thin.
//
// Mean. The logits of the true depth, smoothed over a pixel, plus what all members get wrong alike:
// 1.25·s·f(look). f is one draw of a Gaussian process of unit variance over colours, less its mean over
// greys, and the same for the whole world: one paint is taken for nearer, another for farther. A
// network can therefore learn it from the images, as it does from a real ensemble. (If the error were
// drawn anew for every scene, a model of the members would be closer to the truth than they are.) A
// further part of ½·s is drawn for each scene from the scene's own Gaussian.
//
// Covariance, in one of two forms with the same s, the same range ℓ (longer where the image is
// plain) and the same feature g = 1.5·log depth, which breaks the correlation at depth edges:
//
// - A sparse factor of radius 2, made from
//
//     k(n,m) = s_n s_m · 2ℓ_nℓ_m/(ℓ_n² + ℓ_m²) · (1 + t)·e^−t + [n = m]·(0.02·s_n)²
//     t² = 3·(|n − m|²/(½(ℓ_n² + ℓ_m²)) + (g_n − g_m)²)
//
//   a Matérn-3/2 field with a range of each pixel's own (Paciorek and Schervish, 2006): positive
//   definite for any maps. Pixel n is regressed on its later neighbours J with the exact k
//   (Vecchia's approximation),
//     w = K_JJ⁻¹ k_Jn,  v = k_nn − wᵀk_Jn,  x_n = c_n·(Σ_k w_k x_k/c_k + √v·ε_n),
//   and c_n, near 1, is such that the marginal standard deviation of the result is s_n exactly.
// - A convolution of white noise (convolved_field.hpp) with ν = 0.02, which no sparse factor gives.
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

// f(look) of a world: rgb uint8 [H,W,3] to float64 [H,W].
at::Tensor shared_misjudgement(const at::Tensor& rgb, std::uint64_t world);

// Whose members share a misjudgement, and their depth = scale / disparity.
struct RoadEnsemble {
  std::uint64_t world = 1;
  double scale = kRoadDepthScale;
};

// The members' mean without the part that is drawn for the scene; float64 [H,W].
at::Tensor road_mean(const RoadView& view, const RoadSpread& spread, const RoadEnsemble& ensemble);

inline constexpr double kRoadNugget = 0.02;  // of s

// The sparse factor around a mean [H,W]: B = 1, float32, radius 2. One thread.
StructuredGaussian road_factor(const RoadSpread& spread, const at::Tensor& mean);

}  // namespace supn
