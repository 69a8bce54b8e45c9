#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "supn/evaluation/fields/low_rank_field.hpp"
#include "supn/evaluation/threads.hpp"

namespace supn {
namespace {

constexpr std::int64_t kRank = 10;
constexpr double kFloor = 1e-8;

// Returns the largest principal components of deviations [S,N] as directions [R,N], UᵀU ≈ C,
// through the S × S matrix of their products.
at::Tensor principal_directions(const at::Tensor& deviations, std::int64_t rank) {
  const auto degrees = static_cast<double>(deviations.size(0) - 1);
  const auto [values, vectors] = at::linalg_eigh(at::matmul(deviations, deviations.t()));
  const std::int64_t first = deviations.size(0) - rank;
  return at::matmul(vectors.narrow(1, first, rank).t(), deviations) / std::sqrt(degrees);
}

}  // namespace

double shrinkage_intensity(const at::Tensor& deviations) {
  const auto count = static_cast<double>(deviations.size(0));
  const at::Tensor products = at::matmul(deviations, deviations.t());  // x_k·x_l
  const at::Tensor squares = deviations.square();
  // Sums over pairs i ≠ j = all pairs − the diagonal, both without a matrix of pairs.
  const double each = products.diagonal().square().sum().item<double>() -
                      squares.square().sum().item<double>();  // Σ_k Σ_{i≠j} (x_ki x_kj)²
  const double mean =
      (products.square().sum().item<double>() - squares.sum(0).square().sum().item<double>()) /
      (count * count);  // Σ_{i≠j} (mean_k x_ki x_kj)²
  if (mean <= 0.0) return 1.0;
  const double variance = count / std::pow(count - 1.0, 3) * (each - count * mean);
  const double covariance = mean * std::pow(count / (count - 1.0), 2);
  return std::clamp(variance / covariance, 0.0, 1.0);
}

LowRankField fit_to_ensemble(EnsembleFit fit, const at::Tensor& members) {
  TORCH_CHECK(members.dim() == 3 && members.size(0) >= 3,
              "fit_to_ensemble: expected members [S,h,w] with S >= 3, got ",
              members.sizes());
  const ThreadCount one_order_of_sums(1);
  const at::Tensor all = members.to(at::kDouble);
  const at::Tensor mean = all.mean(0);
  const at::Tensor deviations = (all - mean).flatten(1);
  const std::int64_t degrees = members.size(0) - 1;
  const at::Tensor variance = deviations.square().sum(0) / static_cast<double>(degrees);
  double weight = 1.0;  // of the diagonal
  at::Tensor directions = at::empty({0, variance.size(0)}, at::kDouble);
  if (fit == EnsembleFit::kLowRank) {
    weight = 0.5;
    directions = principal_directions(deviations, std::min(kRank, degrees));
  } else if (fit == EnsembleFit::kShrinkage) {
    weight = shrinkage_intensity(deviations);
    directions = deviations / std::sqrt(static_cast<double>(degrees));
  }
  const at::Tensor diagonal = variance * weight + kFloor;
  return {mean,
          (directions * std::sqrt(1.0 - weight)).view({-1, mean.size(0), mean.size(1)}),
          diagonal.view(mean.sizes())};
}

at::Tensor leave_one_out_log_prob(EnsembleFit fit, const at::Tensor& members) {
  std::vector<at::Tensor> nats;
  const std::int64_t count = members.size(0);
  for (std::int64_t left_out = 0; left_out < count; ++left_out) {
    const at::Tensor others = at::cat(
        {members.narrow(0, 0, left_out), members.narrow(0, left_out + 1, count - left_out - 1)});
    nats.push_back(fit_to_ensemble(fit, others).log_prob(members.narrow(0, left_out, 1)));
  }
  return at::cat(nats);
}

}  // namespace supn
