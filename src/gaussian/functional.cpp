#include "supn/gaussian/functional.hpp"

#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include "gaussian/in_float64.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

// Returns weights [M,H,W] in float64.
at::Tensor checked_weights(const char* function,
                           const StructuredGaussian& gaussian,
                           const at::Tensor& weights) {
  TORCH_CHECK(weights.defined() && weights.dim() == 3 && weights.size(0) > 0 &&
                  weights.size(1) == gaussian.height() && weights.size(2) == gaussian.width() &&
                  weights.is_floating_point(),
              function,
              ": weights must be floating-point [M > 0, ",
              gaussian.height(),
              ", ",
              gaussian.width(),
              "], got ",
              weights.defined() ? weights.sizes() : at::IntArrayRef());
  const at::Tensor exact = weights.detach().to(gaussian.mean().device()).to(at::kDouble);
  TORCH_CHECK(exact.isfinite().all().item<bool>(),
              function,
              ": weights hold a value that is not finite; give pixels to be left out the weight 0");
  return exact;
}

// Returns L⁻¹a [B,M,H,W].
at::Tensor whitened(const char* function,
                    const StructuredGaussian& gaussian,
                    const at::Tensor& weights) {
  const at::Tensor exact = checked_weights(function, gaussian, weights);
  return solve_factor(in_float64(gaussian),
                      exact.unsqueeze(0).expand({gaussian.batch(), -1, -1, -1}).contiguous());
}

void check_box(const char* function, const ImageSize& size, const PixelBox& box) {
  TORCH_CHECK(box.height > 0 && box.width > 0 && box.top >= 0 && box.left >= 0 &&
                  box.top + box.height <= size.height && box.left + box.width <= size.width,
              function,
              ": the box of ",
              box.height,
              " × ",
              box.width,
              " pixels at row ",
              box.top,
              ", column ",
              box.left,
              " must not be empty and must lie within the image of ",
              size.height,
              " × ",
              size.width);
}

at::Tensor no_weights(std::int64_t count, const ImageSize& size) {
  return at::zeros({count, size.height, size.width}, at::TensorOptions().dtype(at::kDouble));
}

// Σ (i − (count − 1)/2)² over a side.
double centred_squares(std::int64_t count) {
  const auto n = static_cast<double>(count);
  return n * (n * n - 1.0) / 12.0;
}

}  // namespace

at::Tensor functional_mean(const StructuredGaussian& gaussian, const at::Tensor& weights) {
  const at::Tensor exact = checked_weights("functional_mean", gaussian, weights);
  return in_float64(gaussian).mean().flatten(1).matmul(exact.flatten(1).t());
}

at::Tensor functional_variance(const StructuredGaussian& gaussian, const at::Tensor& weights) {
  return whitened("functional_variance", gaussian, weights).square().sum({2, 3});
}

at::Tensor functional_covariance(const StructuredGaussian& gaussian, const at::Tensor& weights) {
  const at::Tensor rows = whitened("functional_covariance", gaussian, weights).flatten(2);
  return rows.matmul(rows.transpose(1, 2));
}

at::Tensor box_mean_weights(const ImageSize& size, const PixelBox& box) {
  check_box("box_mean_weights", size, box);
  at::Tensor weights = no_weights(1, size);
  weights.narrow(1, box.top, box.height)
      .narrow(2, box.left, box.width)
      .fill_(1.0 / static_cast<double>(box.height * box.width));
  return weights;
}

at::Tensor difference_weights(const ImageSize& size, std::int64_t first, std::int64_t second) {
  const std::vector<std::int64_t> pixels =
      checked_pixels("difference_weights", pixel_tensor({first, second}), size);
  at::Tensor weights = no_weights(1, size);
  double* data = weights.mutable_data_ptr<double>();
  data[pixels[0]] += 1.0;
  data[pixels[1]] -= 1.0;
  return weights;
}

// The centred coordinates of a grid are orthogonal: slope_x = Σ (x − x̄)·d / Σ (x − x̄)².
at::Tensor plane_slope_weights(const ImageSize& size, const PixelBox& box) {
  check_box("plane_slope_weights", size, box);
  TORCH_CHECK(box.height > 1 && box.width > 1,
              "plane_slope_weights: a plane needs a box of at least 2 × 2 pixels, got ",
              box.height,
              " × ",
              box.width);
  at::Tensor weights = no_weights(2, size);
  auto weight = weights.accessor<double, 3>();
  const double x_squares = centred_squares(box.width) * static_cast<double>(box.height);
  const double y_squares = centred_squares(box.height) * static_cast<double>(box.width);
  for (std::int64_t y = 0; y < box.height; ++y) {
    for (std::int64_t x = 0; x < box.width; ++x) {
      const double centred_x = static_cast<double>(x) - 0.5 * static_cast<double>(box.width - 1);
      const double centred_y = static_cast<double>(y) - 0.5 * static_cast<double>(box.height - 1);
      weight[0][box.top + y][box.left + x] = centred_x / x_squares;
      weight[1][box.top + y][box.left + x] = centred_y / y_squares;
    }
  }
  return weights;
}

}  // namespace supn
