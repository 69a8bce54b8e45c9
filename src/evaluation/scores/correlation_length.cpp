#include "supn/evaluation/scores/correlation_length.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cstdint>

namespace supn {
namespace {

// Returns lengths along dimension `axis` of [B,1,H,W]; `offset` is the pair's, at most half the
// image.
at::Tensor length_along(const LocalCovariances& correlations,
                        const Offset& offset,
                        std::int64_t axis) {
  const at::Tensor forward = correlations.values.narrow(1, correlations.channel(offset), 1);
  const std::int64_t lag = std::max(offset.dy, offset.dx);
  const std::int64_t inside = forward.size(axis) - lag;
  // The last `lag` pixels have their partner behind them: the pair of the pixel `lag` before.
  const at::Tensor rho =
      at::cat({forward.narrow(axis, 0, inside), forward.narrow(axis, inside - lag, lag)}, axis);
  const at::Tensor length =
      rho.clamp_max(1.0).log().abs().reciprocal().mul(static_cast<double>(lag));
  return at::where(rho.gt(0.0), length, at::zeros_like(length));
}

}  // namespace

CorrelationLengths correlation_lengths(const LocalCovariances& correlations) {
  const at::Tensor none = at::zeros_like(correlations.values.narrow(1, 0, 1));
  CorrelationLengths lengths{none, none};
  std::int64_t row_lag = 0;
  std::int64_t column_lag = 0;
  for (const Offset& offset : correlations.offsets) {
    if (offset.dy == 0 && offset.dx <= none.size(3) / 2) row_lag = std::max(row_lag, offset.dx);
    if (offset.dx == 0 && offset.dy <= none.size(2) / 2) {
      column_lag = std::max(column_lag, offset.dy);
    }
  }
  if (row_lag > 0) lengths.along_rows = length_along(correlations, {0, row_lag}, 3);
  if (column_lag > 0) lengths.along_columns = length_along(correlations, {column_lag, 0}, 2);
  return lengths;
}

}  // namespace supn
