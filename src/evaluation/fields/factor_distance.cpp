#include "supn/evaluation/fields/factor_distance.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <cmath>

#include "supn/evaluation/threads.hpp"
#include "supn/gaussian/divergence.hpp"
#include "supn/gaussian/likelihood.hpp"

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

FactorDistance of_marginals_and_rows(const JointField& truth, const JointField& predicted) {
  const at::Tensor pixels = grid_pixels(truth.size());
  const at::Tensor true_rows = truth.covariance_rows(pixels).flatten(1);
  const at::Tensor rows = predicted.covariance_rows(pixels).flatten(1);
  const at::Tensor log_ratio = (predicted.variance().log() - truth.variance().log()) * 0.5;
  const at::Tensor row_errors =
      ((rows - true_rows).square().sum(1) / true_rows.square().sum(1)).sqrt();
  return {.kl = std::nullopt,
          .std_error = std::sqrt(log_ratio.square().mean().item<double>()),
          .covariance_error = row_errors.mean().item<double>()};
}

// ½[‖L₂ᵀR‖² + ‖L₂ᵀ(μ₁ − μ₂)‖² − N] − Σ log R_nn − Σφ₂ with Σ₁ = RRᵀ, in nats; whiten(·) is L₂ᵀ(· − μ₂).
double dense_divergence(const ConvolvedField& truth, const StructuredGaussian& predicted) {
  const StructuredGaussian exact = predicted.to(at::kDouble);
  const ImageSize size = truth.size();
  const auto count = static_cast<double>(exact.pixels());
  const at::Tensor& root = truth.dense_root();
  const at::Tensor columns = root.t().reshape({1, -1, size.width, size.height}).transpose(2, 3);
  const at::Tensor whitened = whiten(exact, columns + exact.mean());
  const at::Tensor offset = whiten(exact, truth.mean().view({1, 1, size.height, size.width}));
  const at::Tensor squares = whitened.square().sum() + offset.square().sum();
  return 0.5 * (squares.item<double>() - count) - root.diagonal().log().sum().item<double>() -
         exact.log_diagonal().sum().item<double>();
}

}  // namespace

FactorDistance factor_distance(const StructuredGaussian& truth,
                               const StructuredGaussian& predicted) {
  const ThreadCount one_order_of_sums(1);
  FactorDistance distance =
      of_marginals_and_rows(StructuredField(truth), StructuredField(predicted));
  distance.kl =
      kl_divergence(truth, predicted).item<double>() / static_cast<double>(truth.pixels());
  return distance;
}

FactorDistance factor_distance(const ConvolvedField& truth, const StructuredGaussian& predicted) {
  const ThreadCount one_order_of_sums(1);
  FactorDistance distance = of_marginals_and_rows(truth, StructuredField(predicted));
  if (truth.has_density()) {
    distance.kl = dense_divergence(truth, predicted) / static_cast<double>(predicted.pixels());
  }
  return distance;
}

}  // namespace supn
