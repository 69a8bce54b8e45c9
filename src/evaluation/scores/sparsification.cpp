#include "supn/evaluation/scores/sparsification.hpp"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>

#include "supn/evaluation/scores/order_statistics.hpp"

namespace supn {
namespace {

constexpr double kFailureRatio = 1.25;
using Curve = std::array<double, kSparsificationSteps + 1>;

std::vector<double> to_vector(const at::Tensor& values) {
  const at::Tensor contiguous = values.to(at::kCPU, at::kDouble).contiguous();
  const double* begin = contiguous.const_data_ptr<double>();
  return {begin, begin + contiguous.numel()};
}

// Returns the error that is averaged on the kept pixels.
double pixel_error(SparsifiedMetric metric, double depth, double predicted) {
  switch (metric) {
    case SparsifiedMetric::kAbsRel:
      return std::abs(depth - predicted) / depth;
    case SparsifiedMetric::kRmse:
      return (depth - predicted) * (depth - predicted);
    case SparsifiedMetric::kA1:
      return std::max(depth / predicted, predicted / depth) >= kFailureRatio ? 1.0 : 0.0;
  }
  TORCH_CHECK(false, "pixel_error: unknown metric");
}

double metric_of(SparsifiedMetric metric, double mean_error) {
  return metric == SparsifiedMetric::kRmse ? std::sqrt(mean_error) : mean_error;
}

std::vector<double> pixel_errors(SparsifiedMetric metric,
                                 const std::vector<double>& depth,
                                 const std::vector<double>& predicted) {
  std::vector<double> errors(depth.size());
  for (std::size_t i = 0; i < depth.size(); ++i) {
    errors[i] = pixel_error(metric, depth[i], predicted[i]);
  }
  return errors;
}

// Pixels in the order in which they are kept: most certain first.
struct Ranking {
  std::vector<std::size_t> order;
  std::vector<std::size_t> kept;  // number of pixels kept at each step
};

Ranking rank(const std::vector<double>& uncertainty) {
  Ranking ranking{std::vector<std::size_t>(uncertainty.size()), {}};
  std::iota(ranking.order.begin(), ranking.order.end(), std::size_t{0});
  std::stable_sort(ranking.order.begin(), ranking.order.end(), [&](std::size_t a, std::size_t b) {
    return uncertainty[a] < uncertainty[b];
  });
  std::vector<double> ascending(uncertainty.size());
  std::transform(ranking.order.rbegin(), ranking.order.rend(), ascending.begin(), [&](auto pixel) {
    return -uncertainty[pixel];
  });
  for (int k = 0; k < kSparsificationSteps; ++k) {
    const double percent = 100.0 / kSparsificationSteps * k;
    const double threshold = quantile_of_sorted(ascending, percent / 100.0);
    const auto first = std::lower_bound(ascending.begin(), ascending.end(), threshold);
    ranking.kept.push_back(static_cast<std::size_t>(ascending.end() - first));
  }
  return ranking;
}

Curve curve_of(SparsifiedMetric metric, const std::vector<double>& errors, const Ranking& ranking) {
  std::vector<double> sums(errors.size() + 1, 0.0);
  for (std::size_t i = 0; i < errors.size(); ++i) sums[i + 1] = sums[i] + errors[ranking.order[i]];
  Curve curve{};
  for (std::size_t k = 0; k < ranking.kept.size(); ++k) {
    const std::size_t kept = ranking.kept[k];
    curve[k] = metric_of(metric, sums[kept] / static_cast<double>(kept));
  }
  return curve;
}

double area_under(const Curve& curve) {
  double area = 0.0;
  for (std::size_t k = 0; k + 1 < curve.size(); ++k) {
    area += (curve[k] + curve[k + 1]) / 2.0 / kSparsificationSteps;
  }
  return area;
}

std::vector<double> oracle_of(SparsifiedMetric metric,
                              const std::vector<double>& depth,
                              const std::vector<double>& predicted) {
  if (metric != SparsifiedMetric::kA1) return pixel_errors(metric, depth, predicted);
  std::vector<double> ratios(depth.size());
  for (std::size_t i = 0; i < depth.size(); ++i) {
    ratios[i] = std::max(depth[i] / predicted[i], predicted[i] / depth[i]);
  }
  return ratios;
}

void check_pixels(const at::Tensor& depth, const at::Tensor& predicted, const at::Tensor& third) {
  TORCH_CHECK(depth.dim() == 1 && depth.numel() > 0,
              "sparsification: expected depth [K] with K > 0, got ",
              depth.sizes());
  TORCH_CHECK(predicted.sizes() == depth.sizes() && third.sizes() == depth.sizes(),
              "sparsification: expected depth, prediction and uncertainty of one shape, got ",
              depth.sizes(),
              ", ",
              predicted.sizes(),
              " and ",
              third.sizes());
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

Curve sparsification_curve(SparsifiedMetric metric,
                           const at::Tensor& depth,
                           const at::Tensor& predicted,
                           const at::Tensor& uncertainty) {
  check_pixels(depth, predicted, uncertainty);
  const std::vector<double> ranked = to_vector(uncertainty);
  TORCH_CHECK(all_finite(ranked), "sparsification_curve: expected finite uncertainties");
  return curve_of(
      metric, pixel_errors(metric, to_vector(depth), to_vector(predicted)), rank(ranked));
}

at::Tensor oracle_ranking(SparsifiedMetric metric,
                          const at::Tensor& depth,
                          const at::Tensor& predicted) {
  check_pixels(depth, predicted, depth);
  const at::Tensor g = depth.to(at::kDouble);
  const at::Tensor p = predicted.to(at::kDouble);
  switch (metric) {
    case SparsifiedMetric::kAbsRel:
      return (g - p).abs() / g;
    case SparsifiedMetric::kRmse:
      return (g - p).square();
    case SparsifiedMetric::kA1:
      return (g / p).maximum(p / g);
  }
  TORCH_CHECK(false, "oracle_ranking: unknown metric");
}

Sparsification sparsify(const at::Tensor& depth,
                        const at::Tensor& predicted,
                        const at::Tensor& uncertainty) {
  check_pixels(depth, predicted, uncertainty);
  const std::vector<double> g = to_vector(depth);
  const std::vector<double> p = to_vector(predicted);
  const std::vector<double> u = to_vector(uncertainty);
  if (!all_finite(u) || !all_finite(p)) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {{nan, nan}, {nan, nan}, {nan, nan}};
  }
  const Ranking ranking = rank(u);
  const auto score = [&](SparsifiedMetric metric) -> SparsificationScore {
    const std::vector<double> errors = pixel_errors(metric, g, p);
    const Curve curve = curve_of(metric, errors, ranking);
    const double area = area_under(curve);
    const double oracle = area_under(curve_of(metric, errors, rank(oracle_of(metric, g, p))));
    return {area - oracle, curve[0] - area};
  };
  return {score(SparsifiedMetric::kAbsRel),
          score(SparsifiedMetric::kRmse),
          score(SparsifiedMetric::kA1)};
}

}  // namespace supn
