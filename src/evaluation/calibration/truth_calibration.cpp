#include "supn/evaluation/calibration/truth_calibration.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/linalg_cholesky_ex.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "evaluation/depth/depth_range.hpp"
#include "supn/evaluation/depth/depth_moments.hpp"
#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/evaluation/depth/depth_quantiles.hpp"

namespace supn {
namespace {

constexpr std::int64_t kCellRows = 8;
constexpr std::int64_t kCellColumns = 16;

at::Tensor depth_map(const GroundTruth& truth) {
  at::Tensor map = at::zeros({truth.size.height * truth.size.width}, at::kDouble);
  map.index_put_({truth.index}, truth.depth);
  return map.view({truth.size.height, truth.size.width});
}

// Returns nothing where a mean that is not finite, or too few measurements, give no scale.
std::optional<double> scale_of(const at::Tensor& mean,
                               const DepthMeasurements& measurements,
                               const EvaluationConfig& config) {
  if (config.scale == DepthScaleMode::kFixed) return config.fixed_scale;
  if (measurements.count() == 0) return std::nullopt;
  const double scale = median_scale(mean, measurements, depth_range(config));
  return std::isfinite(scale) && scale > 0.0 ? std::optional(scale) : std::nullopt;
}

at::Tensor nearest_points(const at::Tensor& pixels, std::int64_t width) {
  const at::Tensor y = pixels.div(width, "floor").to(at::kDouble);
  const at::Tensor x = pixels.remainder(width).to(at::kDouble);
  at::Tensor squares =
      (y.unsqueeze(1) - y.unsqueeze(0)).square() + (x.unsqueeze(1) - x.unsqueeze(0)).square();
  squares.diagonal().fill_(std::numeric_limits<double>::infinity());
  return squares.argmin(1);
}

// Weights [R,K] of the means over the grid's cells that hold two points or more.
at::Tensor cell_means(const at::Tensor& pixels, const ImageSize& size) {
  std::map<std::int64_t, std::vector<std::int64_t>> cells;
  for (std::int64_t i = 0; i < pixels.size(0); ++i) {
    const auto pixel = pixels[i].item<std::int64_t>();
    const std::int64_t row = pixel / size.width * kCellRows / size.height;
    const std::int64_t column = pixel % size.width * kCellColumns / size.width;
    cells[row * kCellColumns + column].push_back(i);
  }
  std::erase_if(cells, [](const auto& cell) { return cell.second.size() < 2; });
  at::Tensor weights =
      at::zeros({static_cast<std::int64_t>(cells.size()), pixels.size(0)}, at::kDouble);
  std::int64_t row = 0;
  for (const auto& [cell, points] : cells) {
    for (const std::int64_t i : points) {
      weights[row][i] = 1.0 / static_cast<double>(points.size());
    }
    ++row;
  }
  return weights;
}

double normal_log_density(const at::Tensor& z, double log_std_sum) {
  const auto count = static_cast<double>(z.size(0));
  return (-0.5 * z.square().sum().item<double>() - log_std_sum) / count -
         0.5 * std::log(2.0 * std::numbers::pi);
}

// R⁻¹e and what follows from it.
void score_whitened(const at::Tensor& covariance, const at::Tensor& e, TruthDeviations& result) {
  const auto [root, info] = at::linalg_cholesky_ex((covariance + covariance.t()) * 0.5);
  const bool definite = info.item<int>() == 0 && covariance.isfinite().all().item<bool>();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  result.whitened =
      definite ? at::linalg_solve_triangular(root, e.unsqueeze(1), /*upper=*/false).squeeze(1)
               : at::full_like(e, nan);
  result.joint_log_density =
      definite ? normal_log_density(result.whitened, root.diagonal().log().sum().item<double>())
               : nan;
}

// Returns depths with scale 1: shares of the depth are the same with any.
at::Tensor depth_of(const at::Tensor& logits, const DepthRange& range) {
  return depth_from_disparity(disparity_from_logit(logits, range), 1.0);
}

IntervalScores single_depths(const Moments& logits,
                             const at::Tensor& truth,
                             const DepthRange& range,
                             const Deviates& deviates) {
  const at::Tensor depth = depth_of(truth, range);
  return interval_scores(
      depth_quantiles(logits.mean, logits.variance, deviates, 1.0, range), depth, depth);
}

// Of each point minus its nearest one.
IntervalScores difference_depths(const LogitPairs& pairs,
                                 const at::Tensor& nearest,
                                 const at::Tensor& truth,
                                 const DepthRange& range,
                                 const Deviates& deviates) {
  const at::Tensor depth = depth_of(truth, range);
  const at::Tensor other = depth.index_select(0, nearest);
  return interval_scores(depth_difference_quantiles(pairs, deviates, 1.0, range),
                         depth - other,
                         (depth + other) * 0.5);
}

// Of each point of a covariance, with its nearest one.
struct NearestPairs {
  at::Tensor other_variance;  // [K]
  at::Tensor covariance;      // [K]
  at::Tensor variance;        // [K], of the difference
};

NearestPairs nearest_pairs(const at::Tensor& covariance, const at::Tensor& nearest) {
  const at::Tensor own = covariance.diagonal();
  const at::Tensor other = own.index_select(0, nearest);
  const at::Tensor among = covariance.gather(1, nearest.unsqueeze(1)).squeeze(1);
  return {other, among, own + other - 2.0 * among};
}

// Variances of the weighted sums [R].
at::Tensor weighted_variance(const at::Tensor& weights, const at::Tensor& covariance) {
  return (at::matmul(weights, covariance) * weights).sum(1);
}

// Quantiles for values of these variances; of_prior(covariance) gives them when nothing was known.
template <class Variances>
Deviates deviates_of(const std::optional<TailedQuantiles>& tailed,
                     const at::Tensor& variance,
                     const Variances& of_prior) {
  const Deviates normal = normal_deviates(kQuantileProbabilities);
  if (!tailed) return normal;
  const at::Tensor ratio = (variance / of_prior(tailed->prior_covariance)).sqrt();
  return {tail_quantiles(tailed->tails, normal.values.squeeze(1), ratio)};
}

}  // namespace

TruthPoints truth_points(const at::Tensor& mean,
                         const GroundTruth& truth,
                         const EvaluationConfig& config,
                         std::uint64_t seed,
                         std::int64_t count) {
  const ImageSize grid{mean.size(0), mean.size(1)};
  const DepthRange range = depth_range(config);
  const DepthMeasurements all = measurements_on_grid(depth_map(truth), grid);
  const std::optional<double> scale = scale_of(mean, all, config);
  if (!scale) return {at::empty({0}, at::kLong), at::empty({0}, at::kDouble)};
  const DepthMeasurements usable = selected(all, representable(all, *scale, range));
  const at::Tensor chosen =
      random_order(usable.count(), seed).narrow(0, 0, std::min(count, usable.count()));
  const DepthMeasurements points = selected(usable, std::get<0>(chosen.sort()));
  return {points.pixels, logit_from_depth(points.depth_m, *scale, range)};
}

PointGaussian point_gaussian(const JointField& field, const at::Tensor& pixels) {
  return {field.mean().to(at::kDouble).flatten().index_select(0, pixels), field.covariance(pixels)};
}

PointGaussian given_first(const PointGaussian& joint,
                          const at::Tensor& values,
                          const at::Tensor& noise_variance) {
  const std::int64_t known = values.size(0);
  const std::int64_t others = joint.mean.size(0) - known;
  const at::Tensor cross = joint.covariance.narrow(0, 0, known).narrow(1, known, others);
  at::Tensor among = joint.covariance.narrow(0, 0, known).narrow(1, 0, known).clone();
  among.diagonal().add_(noise_variance);
  const at::Tensor root = at::linalg_cholesky(among);
  const auto whitened = [&](const at::Tensor& columns) {
    return at::linalg_solve_triangular(root, columns, /*upper=*/false);
  };
  const at::Tensor v = whitened(cross);
  const at::Tensor e = whitened((values - joint.mean.narrow(0, 0, known)).unsqueeze(1));
  return {
      joint.mean.narrow(0, known, others) + at::matmul(v.t(), e).squeeze(1),
      joint.covariance.narrow(0, known, others).narrow(1, known, others) - at::matmul(v.t(), v)};
}

TruthDeviations truth_deviations(const PointGaussian& gaussian,
                                 const TruthPoints& points,
                                 const ImageSize& size,
                                 const DepthRange& range,
                                 const std::optional<TailedQuantiles>& tailed) {
  TORCH_CHECK(points.pixels.size(0) >= 2, "truth_deviations: expected two points or more");
  const at::Tensor e = points.logits - gaussian.mean;
  const at::Tensor& covariance = gaussian.covariance;
  const at::Tensor variance = covariance.diagonal();
  TruthDeviations result;
  result.points = e / variance.sqrt();
  result.independent_log_density =
      normal_log_density(result.points, variance.log().sum().item<double>() * 0.5);
  result.nearest = nearest_points(points.pixels, size.width);
  const NearestPairs pairs = nearest_pairs(covariance, result.nearest);
  result.differences = (e - e.index_select(0, result.nearest)) / pairs.variance.sqrt();
  const at::Tensor weights = cell_means(points.pixels, size);
  const at::Tensor region_variance = weighted_variance(weights, covariance);
  result.regions = at::matmul(weights, e) / region_variance.sqrt();
  score_whitened(covariance, e, result);

  result.depths.points = single_depths(
      {gaussian.mean, variance},
      points.logits,
      range,
      deviates_of(tailed, variance, [](const at::Tensor& prior) { return prior.diagonal(); }));
  if (result.regions.size(0) > 0) {
    result.depths.regions =
        single_depths({at::matmul(weights, gaussian.mean), region_variance},
                      at::matmul(weights, points.logits),
                      range,
                      deviates_of(tailed, region_variance, [&](const at::Tensor& prior) {
                        return weighted_variance(weights, prior);
                      }));
  }
  result.depths.differences =
      difference_depths({.first_mean = gaussian.mean,
                         .second_mean = gaussian.mean.index_select(0, result.nearest),
                         .first_variance = variance,
                         .second_variance = pairs.other_variance,
                         .covariance = pairs.covariance},
                        result.nearest,
                        points.logits,
                        range,
                        deviates_of(tailed, pairs.variance, [&](const at::Tensor& prior) {
                          return nearest_pairs(prior, result.nearest).variance;
                        }));
  return result;
}

}  // namespace supn
