#include "supn/evaluation/fields/factor_distance.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <cmath>

#include "supn/evaluation/threads.hpp"
#include "supn/gaussian/covariance.hpp"
#include "supn/gaussian/divergence.hpp"
#include "supn/gaussian/marginal.hpp"

namespace supn {
namespace {

constexpr std::int64_t kRows = 3;
constexpr std::int64_t kColumns = 4;

at::Tensor grid_pixels(const ImageSize& size) {
  at::Tensor pixels = at::empty({kRows * kColumns}, at::kLong);
  auto* out = pixels.mutable_data_ptr<std::int64_t>();
  for (std::int64_t y = 0; y < kRows; ++y) {
    for (std::int64_t x = 0; x < kColumns; ++x) {
      *out++ = (2 * y + 1) * size.height / (2 * kRows) * size.width +
               (2 * x + 1) * size.width / (2 * kColumns);
    }
  }
  return pixels;
}

}  // namespace

FactorDistance factor_distance(const StructuredGaussian& truth,
                               const StructuredGaussian& predicted) {
  const ThreadCount one_order_of_sums(1);
  const double kl = kl_divergence(truth, predicted).item<double>();
  const at::Tensor true_variance = marginal_variance(truth);
  const at::Tensor variance = marginal_variance(predicted);
  const at::Tensor pixels = grid_pixels(truth.size());
  const at::Tensor true_rows = covariance_columns(truth, pixels)[0].flatten(1);
  const at::Tensor rows = covariance_columns(predicted, pixels)[0].flatten(1);
  const at::Tensor log_ratio = (variance.log() - true_variance.log()) * 0.5;
  const at::Tensor row_errors =
      ((rows - true_rows).square().sum(1) / true_rows.square().sum(1)).sqrt();
  return {.kl = kl / static_cast<double>(truth.pixels()),
          .std_error = std::sqrt(log_ratio.square().mean().item<double>()),
          .covariance_error = row_errors.mean().item<double>()};
}

}  // namespace supn
