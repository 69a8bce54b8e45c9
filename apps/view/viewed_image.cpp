#include "view/viewed_image.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <spdlog/fmt/fmt.h>

#include <utility>

#include "supn/errors.hpp"
#include "supn/evaluation/scores/accuracy.hpp"
#include "supn/evaluation/scores/order_statistics.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/with_remedy.hpp"

namespace supn {
namespace {

const DepthRange kRange;
constexpr std::int64_t kKeptColumns = 256;  // 1 MB each at 640 x 192
constexpr std::int64_t kCandidates = 192;   // of the next measurement

at::Tensor map_of(const at::Tensor& field) { return field[0][0]; }

DepthMeasurements measured_on(const at::Tensor& depth_m, const ImageSize& size) {
  if (depth_m.defined()) return measurements_on_grid(depth_m, size);
  return {at::empty({0}, at::kLong), at::empty({0}, at::kDouble)};
}

bool same(const KnownDepths& a, const KnownDepths& b) {
  return a.points == b.points && a.noise.metres == b.noise.metres &&
         a.noise.relative == b.noise.relative;
}

constexpr const char* kRemedy = "give the points a noise, or take some away";

}  // namespace

ViewedImage::ViewedImage(const StructuredGaussian& gaussian,
                         Picture picture,
                         std::optional<double> scale,
                         std::uint64_t seed)
    : gaussian_(gaussian.to(at::kDouble)),
      picture_(std::move(picture)),
      scale_(scale),
      seed_(image_seed(seed, picture_.image.seed_id)),
      measured_(measured_on(picture_.depth_m, gaussian.size())),
      prior_variance_(marginal_variance(gaussian_)),
      columns_(std::make_shared<CovarianceColumns>(gaussian_, kKeptColumns)) {}

void ViewedImage::set_measured(const at::Tensor& depth_m) {
  measured_ = measured_on(depth_m, size());
  picture_.depth_m = depth_m;
}

DepthMeasurements ViewedImage::measurements(const KnownDepths& known) const {
  const auto count = static_cast<std::int64_t>(known.points.size());
  DepthMeasurements result{at::empty({count}, at::kLong), at::empty({count}, at::kDouble)};
  auto* pixel = result.pixels.mutable_data_ptr<std::int64_t>();
  auto* depth = result.depth_m.mutable_data_ptr<double>();
  for (const KnownDepth& point : known.points) {
    const double disparity = scale_or_one() / point.depth;
    if (!(disparity > 1.0 / kRange.max_depth && disparity < 1.0 / kRange.min_depth)) {
      throw ConfigError(
          fmt::format("a depth of {:.4g} at {},{}: the maps express {:.4g} to {:.4g}{}",
                      point.depth,
                      point.pixel % gaussian_.width(),
                      point.pixel / gaussian_.width(),
                      kRange.min_depth * scale_or_one(),
                      kRange.max_depth * scale_or_one(),
                      scale_ ? " m" : ""));
    }
    *pixel++ = point.pixel;
    *depth++ = point.depth;
  }
  return result;
}

ConditionedGaussian& ViewedImage::given(const KnownDepths& known) {
  if (conditioned_ && same(known, last_)) return *conditioned_;
  ConditioningOptions options{.prior_variance = prior_variance_, .columns = columns_};
  conditioned_.reset();
  variance_ = at::Tensor();
  conditioned_.emplace(gaussian_,
                       depth_observations(measurements(known), scale_or_one(), known.noise, kRange),
                       options);
  last_ = known;
  return *conditioned_;
}

LogitMarginals ViewedImage::marginals(const KnownDepths& known) {
  if (known.points.empty()) return {map_of(gaussian_.mean()), map_of(prior_variance_)};
  return with_remedy(kRemedy, [&] {
    ConditionedGaussian& conditioned = given(known);
    if (!variance_.defined()) variance_ = conditioned.variance();
    return LogitMarginals{map_of(conditioned.mean()), map_of(variance_)};
  });
}

at::Tensor ViewedImage::distances(const KnownDepths& known) {
  if (known.points.empty()) return at::empty({0}, at::kDouble);
  return with_remedy(kRemedy, [&] { return given(known).distances(); });
}

at::Tensor ViewedImage::samples(const KnownDepths& known, const SampleRange& range) {
  return with_remedy(kRemedy, [&] { return given(known).samples(seed_, range)[0]; });
}

at::Tensor ViewedImage::correlation(const KnownDepths& known, std::int64_t pixel) {
  const at::Tensor variance = marginals(known).variance;
  const double own = variance.reshape({-1})[pixel].item<double>();
  at::Tensor unit = at::zeros({1, 1, gaussian_.height(), gaussian_.width()}, at::kDouble);
  if (own == 0.0) return map_of(unit);
  unit.view({-1})[pixel] = 1.0;
  const at::Tensor column =
      with_remedy(kRemedy, [&] { return map_of(given(known).covariance_times(unit)); });
  at::Tensor result = column.div((variance * own).sqrt_()).clamp_(-1.0, 1.0);
  result.masked_fill_(variance.eq(0.0), 0.0);
  result.view({-1})[pixel] = 1.0;
  return result;
}

ViewedImage::Regions ViewedImage::regions(const KnownDepths& known,
                                          std::span<const PixelBox> boxes) {
  std::vector<at::Tensor> each;
  for (const PixelBox& box : boxes) each.push_back(box_mean_weights(size(), box));
  const at::Tensor weights = at::cat(each);
  const at::Tensor mean = marginals(known).mean;
  const at::Tensor spread =
      with_remedy(kRemedy, [&] { return given(known).covariance_times(weights.unsqueeze(0)); });
  Regions result{weights.flatten(1).matmul(mean.reshape({-1})),
                 weights.flatten(1).matmul(spread[0].flatten(1).t()),
                 {}};
  result.covariance = (result.covariance + result.covariance.t()) * 0.5;
  result.depth = joint_depth_moments(result.mean, result.covariance, scale_or_one(), kRange);
  return result;
}

std::optional<HeldBackScores> ViewedImage::scores(const KnownDepths& known) {
  if (measured_.count() == 0) return std::nullopt;
  const GroundTruth truth =
      ground_truth(without_measurements(picture_.depth_m, measurements(known).pixels, size()),
                   AccuracyProtocol::kEigen);
  if (truth.count() == 0) return std::nullopt;
  return score_held_back(marginals(known), truth, {scale_or_one(), known.noise, kRange});
}

ActiveMeasurement ViewedImage::next(const KnownDepths& known,
                                    std::int64_t count,
                                    const std::function<void()>& check) {
  // One noise for all: that of the middle depth.
  const at::Tensor depth =
      depth_from_disparity(disparity_from_logit(marginals(known).mean, kRange), scale_or_one());
  const at::Tensor middle = at::full({}, median(depth), at::kDouble);
  MeasurementPlan plan{
      .count = count,
      .noise_variance =
          logit_noise_variance(middle, scale_or_one(), known.noise, kRange).item<double>(),
      .measured = measurements(known).pixels,
      .grid_pixels = kCandidates,
      .variance = prior_variance_,
      .check = check};
  return with_remedy(kRemedy, [&] { return plan_measurements(gaussian_, plan); });
}

}  // namespace supn
