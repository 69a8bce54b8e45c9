#include "supn/evaluation/fields/convolved_field.hpp"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "evaluation/fields/field_noise.hpp"
#include "supn/evaluation/threads.hpp"

namespace supn {
namespace {

constexpr double kKernelReach = 2.5;  // of the kernel, in ranges
constexpr std::int64_t kPixelsOfATask = 64;

at::Tensor in_double(const at::Tensor& map) { return map.to(at::kDouble).contiguous(); }

}  // namespace

// One row of K after the other, as the row segments that are not zero.
class ConvolvedField::Kernel {
 public:
  explicit Kernel(const ConvolvedField& field)
      : size_(field.size()),
        std_(field.std_.const_data_ptr<double>()),
        range_(field.range_.const_data_ptr<double>()),
        feature_(field.feature_.const_data_ptr<double>()),
        share_(std::sqrt(1.0 - field.nugget_ * field.nugget_)) {}

  // Calls visit(first pixel, weights, count) for each image row within reach of pixel n.
  template <class Visit>
  void for_row(std::int64_t n, Visit visit) {
    const std::int64_t y = n / size_.width;
    const std::int64_t x = n % size_.width;
    const double range = range_[n];
    const auto reach = static_cast<std::int64_t>(kKernelReach * range);
    const std::int64_t top = std::max<std::int64_t>(0, y - reach);
    const std::int64_t bottom = std::min(size_.height - 1, y + reach);
    const std::int64_t left = std::max<std::int64_t>(0, x - reach);
    const std::int64_t right = std::min(size_.width - 1, x + reach);
    const std::int64_t count = right - left + 1;
    weights_.resize(static_cast<std::size_t>((bottom - top + 1) * count));
    double squares = 0.0;
    double* weight = weights_.data();
    for (std::int64_t v = top; v <= bottom; ++v) {
      const double* feature = feature_ + v * size_.width;
      const auto dy = static_cast<double>(v - y);
      for (std::int64_t u = left; u <= right; ++u) {
        const auto dx = static_cast<double>(u - x);
        const double df = feature[u] - feature_[n];
        const double t = std::sqrt((dy * dy + dx * dx) / (range * range) + df * df) / kKernelReach;
        const double rest = std::max(0.0, 1.0 - t);
        *weight = rest * rest;
        squares += *weight * *weight;
        ++weight;
      }
    }
    const double scale = std_[n] * share_ / std::sqrt(squares);
    for (double& value : weights_) value *= scale;
    for (std::int64_t v = top; v <= bottom; ++v) {
      visit(v * size_.width + left, weights_.data() + (v - top) * count, count);
    }
  }

 private:
  ImageSize size_;
  const double* std_;
  const double* range_;
  const double* feature_;
  double share_;
  std::vector<double> weights_;
};

ConvolvedField::ConvolvedField(at::Tensor mean, const ConvolutionMaps& maps, double nugget)
    : mean_(in_double(mean)),
      std_(in_double(maps.std)),
      range_(in_double(maps.range)),
      feature_(in_double(maps.feature)),
      nugget_(nugget) {
  TORCH_CHECK(mean_.dim() == 2 && std_.sizes() == mean_.sizes() &&
                  range_.sizes() == mean_.sizes() && feature_.sizes() == mean_.sizes(),
              "ConvolvedField: expected mean, std, range and feature of one shape [h,w], got ",
              mean_.sizes(),
              ", ",
              std_.sizes(),
              ", ",
              range_.sizes(),
              " and ",
              feature_.sizes());
  TORCH_CHECK(std_.gt(0.0).all().item<bool>() && range_.gt(0.0).all().item<bool>() &&
                  nugget > 0.0 && nugget < 1.0,
              "ConvolvedField: expected a positive std and range, and a nugget within (0, 1), got ",
              nugget);
}

at::Tensor ConvolvedField::smooth(const at::Tensor& noise) const {
  const std::int64_t count = noise.size(0);
  // Samples side by side: each one's sum has the same order, however many there are.
  const at::Tensor white = noise.t().contiguous();
  const at::Tensor result = at::zeros(white.sizes(), white.options());
  const auto* in = white.const_data_ptr<double>();
  auto* out = result.mutable_data_ptr<double>();
  at::parallel_for(0, white.size(0), kPixelsOfATask, [&](std::int64_t begin, std::int64_t end) {
    Kernel kernel(*this);
    for (std::int64_t n = begin; n < end; ++n) {
      double* sums = out + n * count;
      kernel.for_row(n, [&](std::int64_t first, const double* weights, std::int64_t pixels) {
        for (std::int64_t i = 0; i < pixels; ++i) {
          const double* values = in + (first + i) * count;
          for (std::int64_t s = 0; s < count; ++s) sums[s] += weights[i] * values[s];
        }
      });
    }
  });
  return result.t().contiguous();
}

at::Tensor ConvolvedField::kernel_rows(const at::Tensor& pixels) const {
  at::Tensor rows = at::zeros({pixels.size(0), mean_.numel()}, mean_.options());
  const at::Tensor indices = pixels.contiguous();
  Kernel kernel(*this);
  for (std::int64_t i = 0; i < pixels.size(0); ++i) {
    double* row = rows.mutable_data_ptr<double>() + i * mean_.numel();
    kernel.for_row(indices.const_data_ptr<std::int64_t>()[i],
                   [&](std::int64_t first, const double* weights, std::int64_t count) {
                     std::copy(weights, weights + count, row + first);
                   });
  }
  return rows;
}

FieldSamples ConvolvedField::samples(std::uint64_t seed, const SampleRange& range) const {
  const at::Tensor white = field_noise(seed ^ kFieldStream, range, size());
  const at::Tensor own = field_noise(seed, range, size());
  const at::Tensor smooth_part = smooth(white.flatten(1)).view(white.sizes());
  const at::Tensor values = mean_ + smooth_part + own * (std_ * nugget_);
  return {values, values.isfinite().logical_not().sum().item<std::int64_t>()};
}

bool ConvolvedField::has_density() const { return mean_.numel() <= kMostDensePixels; }

const at::Tensor& ConvolvedField::dense_root() const {
  TORCH_CHECK(has_density(),
              "ConvolvedField: the density needs a dense matrix, which is made for up to ",
              kMostDensePixels,
              " pixels; got ",
              mean_.numel());
  if (!root_.defined()) {
    const at::Tensor kernel = kernel_rows(at::arange(mean_.numel(), at::kLong));
    at::Tensor covariance = at::matmul(kernel, kernel.t());
    covariance.diagonal().add_((std_.flatten() * nugget_).square());
    root_ = at::linalg_cholesky(covariance);
  }
  return root_;
}

at::Tensor ConvolvedField::log_prob(const at::Tensor& d) const {
  const ThreadCount one_order_of_sums(1);
  const at::Tensor& root = dense_root();
  const at::Tensor deviations = (d.to(at::kDouble) - mean_).flatten(1).t();
  const at::Tensor white = at::linalg_solve_triangular(root, deviations, /*upper=*/false);
  const double log_determinant = 2.0 * root.diagonal().log().sum().item<double>();
  const auto pixels = static_cast<double>(mean_.numel());
  return (white.square().sum(0) + (log_determinant + pixels * std::log(2.0 * std::numbers::pi))) *
         -0.5;
}

// ‖Kᵀa‖² + ν²·‖s∘a‖².
at::Tensor ConvolvedField::functional_variance(const at::Tensor& weights) const {
  const at::Tensor a = weights.to(at::kDouble).flatten(1).contiguous();
  at::Tensor spread = at::zeros_like(a);
  const std::int64_t pixels = a.size(1);
  at::parallel_for(0, a.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    Kernel kernel(*this);
    for (std::int64_t m = begin; m < end; ++m) {
      const double* from = a.const_data_ptr<double>() + m * pixels;
      double* to = spread.mutable_data_ptr<double>() + m * pixels;
      for (std::int64_t n = 0; n < pixels; ++n) {
        if (from[n] == 0.0) continue;
        kernel.for_row(n, [&](std::int64_t first, const double* row, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) to[first + i] += from[n] * row[i];
        });
      }
    }
  });
  const ThreadCount one_order_of_sums(1);
  return spread.square().sum(1) + (a * std_.flatten() * nugget_).square().sum(1);
}

at::Tensor ConvolvedField::covariance_rows(const at::Tensor& pixels) const {
  at::Tensor rows = smooth(kernel_rows(pixels));
  const at::Tensor own = (std_.flatten() * nugget_).square().index_select(0, pixels);
  rows.scatter_add_(1, pixels.unsqueeze(1), own.unsqueeze(1));
  return rows.view({pixels.size(0), mean_.size(0), mean_.size(1)});
}

}  // namespace supn
