#include "supn/evaluation/depth/depth_observations.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "supn/evaluation/scores/order_statistics.hpp"
#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

at::Tensor checked_map(const at::Tensor& depth_m, const char* function) {
  TORCH_CHECK(depth_m.dim() == 2 && depth_m.numel() > 0 && depth_m.is_floating_point(),
              function,
              ": expected floating-point depth [H,W], got ",
              depth_m.sizes());
  return depth_m.detach().to(at::kCPU, at::kDouble).contiguous();
}

void check_scale(double scale, const char* function) {
  TORCH_CHECK(
      std::isfinite(scale) && scale > 0.0, function, ": expected a positive scale, got ", scale);
}

double slope_of(const DepthRange& range) { return 1.0 / range.min_depth - 1.0 / range.max_depth; }

// |∂logit/∂depth|.
at::Tensor logit_slope(const at::Tensor& depth, double scale, const DepthRange& range) {
  const at::Tensor disparity = disparity_from_depth(depth, scale);
  const at::Tensor sigmoid = sigmoid_from_disparity(disparity, range);
  return disparity.div(depth).div_(sigmoid * (1.0 - sigmoid)).div_(slope_of(range));
}

// Measurements of one pixel. Those with a std become their mean weighted by precision; of those
// without, as of exact ones, which outrank the others, the nearest is kept.
class PixelDepth {
 public:
  void add(double depth_m, double std_m) {
    const double precision = 1.0 / (std_m * std_m);
    if (std::isinf(precision)) {
      depth_m_ = is_exact() ? std::min(depth_m_, depth_m) : depth_m;
    } else if (!is_exact()) {
      depth_m_ += (depth_m - depth_m_) * (precision / (precision_ + precision));
    }
    precision_ += precision;
    ++count_;
  }
  std::int64_t count() const { return count_; }
  double depth_m() const { return depth_m_; }
  double std_m() const { return 1.0 / std::sqrt(precision_); }

 private:
  bool is_exact() const { return std::isinf(precision_); }

  std::int64_t count_ = 0;
  double depth_m_ = 0.0;
  double precision_ = 0.0;
};

}  // namespace

std::int64_t grid_pixel(std::int64_t y,
                        std::int64_t x,
                        const ImageSize& image,
                        const ImageSize& grid) {
  // ⌊(y + ½)·h/H⌋: where the pixel's centre falls.
  return (2 * y + 1) * grid.height / (2 * image.height) * grid.width +
         (2 * x + 1) * grid.width / (2 * image.width);
}

DepthMeasurements measurements_on_grid(const at::Tensor& depth_m,
                                       const ImageSize& grid,
                                       const at::Tensor& std_m) {
  const at::Tensor map = checked_map(depth_m, "measurements_on_grid");
  TORCH_CHECK(grid.height > 0 && grid.width > 0, "measurements_on_grid: the grid is empty");
  TORCH_CHECK(!std_m.defined() || std_m.sizes() == depth_m.sizes(),
              "measurements_on_grid: std and depth differ in shape");
  const ImageSize image{map.size(0), map.size(1)};
  const double* const depth = map.const_data_ptr<double>();
  const at::Tensor std_map =
      std_m.defined() ? checked_map(std_m, "measurements_on_grid") : at::Tensor();
  const double* const std = std_m.defined() ? std_map.const_data_ptr<double>() : nullptr;
  std::vector<PixelDepth> measured(static_cast<std::size_t>(grid.height * grid.width));
  for (std::int64_t i = 0; i < map.numel(); ++i) {
    if (!std::isfinite(depth[i]) || depth[i] <= 0.0) continue;
    const std::int64_t n = grid_pixel(i / image.width, i % image.width, image, grid);
    measured[static_cast<std::size_t>(n)].add(depth[i], std == nullptr ? 0.0 : std[i]);
  }
  DepthMeasurements result;
  std::vector<std::int64_t> pixels;
  std::vector<double> depths;
  std::vector<double> stds;
  for (std::size_t n = 0; n < measured.size(); ++n) {
    if (measured[n].count() == 0) continue;
    result.merged += measured[n].count() - 1;
    pixels.push_back(static_cast<std::int64_t>(n));
    depths.push_back(measured[n].depth_m());
    stds.push_back(measured[n].std_m());
  }
  result.pixels = at::tensor(pixels, at::kLong);
  result.depth_m = at::tensor(depths, at::kDouble);
  if (std_m.defined()) result.std_m = at::tensor(stds, at::kDouble);
  return result;
}

at::Tensor without_measurements(const at::Tensor& depth_m,
                                const at::Tensor& pixels,
                                const ImageSize& grid) {
  at::Tensor map = checked_map(depth_m, "without_measurements").clone();
  const ImageSize image{map.size(0), map.size(1)};
  std::vector<bool> is_known(static_cast<std::size_t>(grid.height * grid.width), false);
  const at::Tensor known = pixels.to(at::kCPU).contiguous();
  for (std::int64_t i = 0; i < known.size(0); ++i) {
    is_known.at(static_cast<std::size_t>(known.const_data_ptr<std::int64_t>()[i])) = true;
  }
  double* const depth = map.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < map.numel(); ++i) {
    const std::int64_t n = grid_pixel(i / image.width, i % image.width, image, grid);
    if (is_known[static_cast<std::size_t>(n)]) depth[i] = 0.0;
  }
  return map;
}

DepthMeasurements selected(const DepthMeasurements& measurements, const at::Tensor& index) {
  return {measurements.pixels.index_select(0, index),
          measurements.depth_m.index_select(0, index),
          measurements.merged,
          measurements.std_m.defined() ? measurements.std_m.index_select(0, index) : at::Tensor()};
}

at::Tensor random_order(std::int64_t count, std::uint64_t seed) {
  if (count == 0) return at::empty({0}, at::kLong);
  // The order of normals that hang on seed and index alone; in float64 there are no ties.
  const at::Tensor keys = standard_normal(
      std::span(&seed, 1), {0, 1}, {1, count}, at::TensorOptions().dtype(at::kDouble));
  return keys.view({count}).argsort(/*stable=*/true, /*dim=*/0, /*descending=*/false);
}

at::Tensor representable(const DepthMeasurements& measurements,
                         double scale,
                         const DepthRange& range) {
  check_scale(scale, "representable");
  return logit_from_depth(measurements.depth_m, scale, range).isfinite().nonzero().reshape({-1});
}

double median_scale(const at::Tensor& mean_logit,
                    const DepthMeasurements& measurements,
                    const DepthRange& range) {
  TORCH_CHECK(measurements.count() > 0, "median_scale: expected a measurement, got none");
  const at::Tensor logits = mean_logit.reshape({-1}).index_select(0, measurements.pixels);
  return supn::median(measurements.depth_m) /
         supn::median(disparity_from_logit(logits, range).reciprocal());
}

at::Tensor logit_from_depth(const at::Tensor& depth_m, double scale, const DepthRange& range) {
  return logit_from_sigmoid(sigmoid_from_disparity(disparity_from_depth(depth_m, scale), range));
}

at::Tensor logit_noise_variance(const at::Tensor& depth_m,
                                double scale,
                                const DepthNoise& noise,
                                const DepthRange& range) {
  TORCH_CHECK(noise.metres >= 0.0 && noise.relative >= 0.0,
              "logit_noise_variance: expected noise that is not negative, got ",
              noise.metres,
              " m and ",
              noise.relative);
  const at::Tensor depth = depth_m.to(at::kDouble);
  const at::Tensor variance =
      depth.square().mul_(noise.relative * noise.relative).add_(noise.metres * noise.metres);
  return variance.mul_(logit_slope(depth, scale, range).square());
}

Observations depth_observations(const DepthMeasurements& measurements,
                                double scale,
                                const DepthNoise& noise,
                                const DepthRange& range) {
  check_scale(scale, "depth_observations");
  const at::Tensor values = logit_from_depth(measurements.depth_m, scale, range);
  TORCH_CHECK(values.isfinite().all().item<bool>(),
              "depth_observations: a depth is outside of what logits can express at scale ",
              scale,
              "; leave these out (representable)");
  if (!measurements.std_m.defined()) {
    return {measurements.pixels,
            values,
            logit_noise_variance(measurements.depth_m, scale, noise, range)};
  }
  const at::Tensor std = measurements.std_m.mul(logit_slope(measurements.depth_m, scale, range));
  return {measurements.pixels, values, std.square()};
}

}  // namespace supn
