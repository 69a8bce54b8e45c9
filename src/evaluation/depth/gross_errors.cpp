#include "supn/evaluation/depth/gross_errors.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/where.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <numbers>
#include <span>

#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

constexpr double kLeast = 1.5;
constexpr double kMost = 3.0;
constexpr double kRounding = 1e-9;  // of i·share, which is a whole number or none

}  // namespace

GrossErrors with_gross_errors(const DepthMeasurements& measurements,
                              double share,
                              std::uint64_t seed) {
  TORCH_CHECK(
      share >= 0.0 && share <= 1.0, "with_gross_errors: expected a share in [0, 1], got ", share);
  const std::int64_t count = measurements.count();
  GrossErrors result{measurements};
  const at::Tensor steps =
      (at::arange(count + 1, at::TensorOptions().dtype(at::kDouble)) * share + 0.5 + kRounding)
          .floor();
  result.is_wrong = steps.diff().gt(0.0);
  if (count == 0) return result;
  const at::Tensor normal =
      standard_normal(
          std::span(&seed, 1), {0, 1}, {1, count}, at::TensorOptions().dtype(at::kDouble))
          .view({count});
  const at::Tensor uniform = (normal.abs() / std::numbers::sqrt2).erf();
  const at::Tensor log_factor =
      normal.sign() * (uniform * std::log(kMost / kLeast) + std::log(kLeast));
  result.measurements.depth_m =
      at::where(result.is_wrong, measurements.depth_m * log_factor.exp(), measurements.depth_m);
  return result;
}

GateScores gate_scores(const at::Tensor& is_wrong, const at::Tensor& dropped) {
  const auto wrong = is_wrong.sum().item<std::int64_t>();
  const auto found =
      static_cast<double>(is_wrong.index_select(0, dropped).sum().item<std::int64_t>());
  GateScores scores{.dropped = dropped.size(0)};
  if (wrong > 0) scores.recall = found / static_cast<double>(wrong);
  if (scores.dropped > 0) scores.precision = found / static_cast<double>(scores.dropped);
  return scores;
}

}  // namespace supn
