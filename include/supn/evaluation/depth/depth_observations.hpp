// Measured depths (LiDAR, ground truth, a list) as observations of a Gaussian over logits.
//
//   disparity = scale/depth    σ = (disparity − 1/max)/(1/min − 1/max)    logit = log σ/(1 − σ)
//   std of the logit = |∂logit/∂depth|·std of the depth
//   ∂σ/∂depth = −disparity/depth/(1/min − 1/max)
//
// Without dividing by the scale first, conditioning is wrong: docs/method.md "Conditioning".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/image_size.hpp"

namespace supn {

// A pixel of the Gaussian has at most one measurement.
struct DepthMeasurements {
  at::Tensor pixels;        // int64 [M], raster indices of the Gaussian's maps
  at::Tensor depth_m;       // float64 [M], metres
  std::int64_t merged = 0;  // further measurements on the same pixels
  at::Tensor std_m = {};    // float64 [M], metres, each one's own; undefined: DepthNoise says

  std::int64_t count() const { return pixels.size(0); }
};

// Returns the pixel of a map of size `grid` that pixel (y, x) of an image of size `image` falls on,
// as a raster index.
std::int64_t grid_pixel(std::int64_t y,
                        std::int64_t x,
                        const ImageSize& image,
                        const ImageSize& grid);

// depth_m [H,W] of any size, 0 = none, onto a grid, in raster order. std_m [H,W], if it is defined:
// the std of each, in metres. Where several fall on one pixel: without std_m the nearest is kept, as
// it hides the others in a scan; with it they become one, Σd_i/s_i² / Σ1/s_i² with the std
// 1/√Σ1/s_i². In metres, where the std is stated, that one says of the pixel's depth exactly what
// they say together, whatever the scale. Those with std 0 outrank the others, and the nearest of them
// is kept. Throws c10::Error for another shape or an empty grid.
DepthMeasurements measurements_on_grid(const at::Tensor& depth_m,
                                       const ImageSize& grid,
                                       const at::Tensor& std_m = {});

// Returns depth_m without the measurements on the given pixels of the grid (int64 [M]): what is
// held back.
at::Tensor without_measurements(const at::Tensor& depth_m,
                                const at::Tensor& pixels,
                                const ImageSize& grid);

// Returns those at `index` (int64 [n], into the measurements), in that order.
DepthMeasurements selected(const DepthMeasurements& measurements, const at::Tensor& index);

// 0 … count − 1 in random order, int64 [count]: the same for a seed, whatever is taken of it.
at::Tensor random_order(std::int64_t count, std::uint64_t seed);

// Indices of the measurements whose depth some logit has: 1/max < scale/depth < 1/min.
at::Tensor representable(const DepthMeasurements& measurements,
                         double scale,
                         const DepthRange& range);

// median(depth)/median(1/disparity of the mean there): the scale that explains the measurements
// best. mean_logit [h,w]. Throws c10::Error where there are none.
double median_scale(const at::Tensor& mean_logit,
                    const DepthMeasurements& measurements,
                    const DepthRange& range);

// Standard deviation √(metres² + (relative·depth)²): a floor, and a part that grows with the range;
// both 0: exact.
struct DepthNoise {
  double metres = 0.0;
  double relative = 0.0;
};

// These work elementwise in float64 and are not finite outside the range.
at::Tensor logit_from_depth(const at::Tensor& depth_m, double scale, const DepthRange& range);
at::Tensor logit_noise_variance(const at::Tensor& depth_m,
                                double scale,
                                const DepthNoise& noise,
                                const DepthRange& range);

// With the measurements' own std where they have one, else with the noise. Throws c10::Error for a
// depth outside the range (representable() leaves these out), a scale that is not positive, or a
// negative noise.
Observations depth_observations(const DepthMeasurements& measurements,
                                double scale,
                                const DepthNoise& noise,
                                const DepthRange& range);

}  // namespace supn
