#include "supn/evaluation/fields/low_rank_field.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/matmul.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "evaluation/fields/field_noise.hpp"
#include "supn/evaluation/threads.hpp"

namespace supn {
LowRankField::LowRankField(at::Tensor mean, at::Tensor directions, at::Tensor diagonal)
    : mean_(mean.to(at::kDouble)) {
  TORCH_CHECK(mean.dim() == 2 && directions.dim() == 3 && diagonal.sizes() == mean.sizes() &&
                  directions.size(1) == mean.size(0) && directions.size(2) == mean.size(1),
              "LowRankField: expected mean and diagonal [h,w] and directions [R,h,w], got ",
              mean.sizes(),
              ", ",
              diagonal.sizes(),
              " and ",
              directions.sizes());
  directions_ = directions.to(at::kDouble).flatten(1);
  diagonal_ = diagonal.to(at::kDouble).flatten();
  TORCH_CHECK(diagonal_.gt(0.0).all().item<bool>(), "LowRankField: expected a positive diagonal");
}

at::Tensor LowRankField::variance() const {
  return (directions_.square().sum(0) + diagonal_).view(mean_.sizes());
}

FieldSamples LowRankField::samples(std::uint64_t seed, const SampleRange& range) const {
  const ThreadCount one_order_of_sums(1);
  at::Tensor values = field_noise(seed, range, size()).flatten(1) * diagonal_.sqrt();
  if (directions_.size(0) > 0) {
    const at::Tensor weights = field_noise(seed ^ kFieldStream, range, {1, directions_.size(0)});
    // One direction after the other: the bits of a matrix product would hang on the range.
    for (std::int64_t r = 0; r < directions_.size(0); ++r) {
      values.addcmul_(weights.select(2, r), directions_.narrow(0, r, 1));
    }
  }
  values = values.view({range.count, mean_.size(0), mean_.size(1)}) + mean_;
  return {values, values.isfinite().logical_not().sum().item<std::int64_t>()};
}

// Woodbury: with W = U D^{−1/2} and R Rᵀ = I + W Wᵀ, ‖e‖²_Σ = ‖e D^{−1/2}‖² − ‖R⁻¹ W D^{−1/2} e‖².
at::Tensor LowRankField::log_prob(const at::Tensor& d) const {
  const ThreadCount one_order_of_sums(1);
  const at::Tensor scale = diagonal_.rsqrt();
  const at::Tensor e = (d.to(at::kDouble) - mean_).flatten(1) * scale;
  at::Tensor squares = e.square().sum(1);
  double log_determinant = diagonal_.log().sum().item<double>();
  if (directions_.size(0) > 0) {
    const at::Tensor w = directions_ * scale;
    const at::Tensor identity = at::eye(w.size(0), at::TensorOptions().dtype(at::kDouble));
    const at::Tensor root = at::linalg_cholesky(identity + at::matmul(w, w.t()));
    const at::Tensor part =
        at::linalg_solve_triangular(root, at::matmul(w, e.t()), /*upper=*/false);
    squares = squares - part.square().sum(0);
    log_determinant += 2.0 * root.diagonal().log().sum().item<double>();
  }
  const auto pixels = static_cast<double>(e.size(1));
  return (squares + (log_determinant + pixels * std::log(2.0 * std::numbers::pi))) * -0.5;
}

at::Tensor LowRankField::functional_variance(const at::Tensor& weights) const {
  const ThreadCount one_order_of_sums(1);
  const at::Tensor a = weights.to(at::kDouble).flatten(1);
  return at::matmul(a, directions_.t()).square().sum(1) + (a.square() * diagonal_).sum(1);
}

at::Tensor LowRankField::covariance_rows(const at::Tensor& pixels) const {
  const ThreadCount one_order_of_sums(1);
  at::Tensor rows = at::matmul(directions_.index_select(1, pixels).t(), directions_);
  const at::Tensor own = diagonal_.index_select(0, pixels);
  rows.scatter_add_(1, pixels.unsqueeze(1), own.unsqueeze(1));
  return rows.view({pixels.size(0), mean_.size(0), mean_.size(1)});
}

}  // namespace supn
