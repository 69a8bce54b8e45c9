#include "supn/evaluation/scores/proper_scores.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace supn {
namespace {

double mean_of(const at::Tensor& values) { return values.mean().item<double>(); }

// ‖a_i − b_j‖ [A,B] of rows that are centred, so that the squares do not cancel.
at::Tensor distances(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor squares =
      a.square().sum(1, true) + b.square().sum(1).unsqueeze(0) - at::matmul(a, b.t()) * 2.0;
  return squares.clamp_min(0.0).sqrt();
}

// Mean over one direction and distance: a, b [S,…] the samples at both ends, c, d [V,…] the
// values'. Map by map, so that memory stays small.
double pair_score(const at::Tensor& a,
                  const at::Tensor& b,
                  const at::Tensor& c,
                  const at::Tensor& d) {
  at::Tensor expected = at::zeros_like(a[0]);
  for (std::int64_t s = 0; s < a.size(0); ++s) expected.add_((a[s] - b[s]).abs_().sqrt_());
  expected.div_(static_cast<double>(a.size(0)));
  double sum = 0.0;
  for (std::int64_t v = 0; v < c.size(0); ++v) {
    sum += mean_of((c[v] - d[v]).abs_().sqrt_().sub_(expected).square_());
  }
  return sum / static_cast<double>(c.size(0));
}

}  // namespace

double energy_score(const at::Tensor& samples, const at::Tensor& values) {
  TORCH_CHECK(samples.dim() == 2 && samples.size(0) >= 2 && values.dim() == 2 &&
                  values.size(1) == samples.size(1),
              "energy_score: expected samples [S,P] with S >= 2 and values [V,P], got ",
              samples.sizes(),
              " and ",
              values.sizes());
  const at::Tensor centre = samples.to(at::kDouble).mean(0, /*keepdim=*/true);
  const at::Tensor x = samples.to(at::kDouble) - centre;
  const at::Tensor y = values.to(at::kDouble) - centre;
  const auto count = static_cast<double>(x.size(0));
  const at::Tensor among = distances(x, x);
  const double own = (among.sum() - among.diagonal().sum()).item<double>() / (count * (count - 1));
  return (mean_of(distances(x, y)) - 0.5 * own) / std::sqrt(static_cast<double>(x.size(1)));
}

double variogram_score(const at::Tensor& samples, const at::Tensor& values) {
  const at::Tensor x = samples.to(at::kDouble);
  const at::Tensor y = values.to(at::kDouble);
  double sum = 0.0;
  int terms = 0;
  for (const std::int64_t axis : {1, 2}) {
    for (const std::int64_t lag : {1, 2, 4, 8, 16}) {
      const std::int64_t count = x.size(axis) - lag;
      if (count < 1) continue;
      sum += pair_score(x.narrow(axis, 0, count),
                        x.narrow(axis, lag, count),
                        y.narrow(axis, 0, count),
                        y.narrow(axis, lag, count));
      ++terms;
    }
  }
  return terms > 0 ? sum / terms : std::numeric_limits<double>::quiet_NaN();
}

double variogram_score_of_pairs(const at::Tensor& samples,
                                const at::Tensor& values,
                                const at::Tensor& first,
                                const at::Tensor& second) {
  const at::Tensor x = samples.to(at::kDouble);
  const at::Tensor y = values.to(at::kDouble).unsqueeze(0);
  return pair_score(x.index_select(1, first),
                    x.index_select(1, second),
                    y.index_select(1, first),
                    y.index_select(1, second));
}

}  // namespace supn
