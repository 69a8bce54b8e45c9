#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "gaussian/conditioning/posterior.hpp"
#include "gaussian/in_float64.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn {
namespace {

// Returns the field [1,S,H,W] with `values` at the exactly known pixels, where rounding would leave
// some error.
at::Tensor pinned(const at::Tensor& field, const ObservationSet& observations) {
  const std::vector<std::int64_t> positions = observations.exact_positions();
  if (positions.empty()) return field;
  std::vector<std::int64_t> pixels;
  pixels.reserve(positions.size());
  for (const std::int64_t i : positions) {
    pixels.push_back(observations.pixels[static_cast<std::size_t>(i)]);
  }
  const at::Device device = field.device();
  const at::Tensor values = observations.values.index_select(0, pixel_tensor(positions, device));
  at::Tensor result = field.contiguous();
  result.view({field.size(1), -1})
      .index_copy_(1, pixel_tensor(pixels, device), values.expand({field.size(1), -1}));
  return result;
}

at::Tensor without_exact(const at::Tensor& field, const ObservationSet& observations) {
  ObservationSet zero = observations;
  zero.values = at::zeros(observations.values.sizes(), observations.values.options());
  return pinned(field, zero);
}

}  // namespace

ConditionedGaussian::ConditionedGaussian(const StructuredGaussian& gaussian,
                                         const Observations& observations,
                                         const ConditioningOptions& options)
    : posterior_(std::make_unique<Posterior>(gaussian, observations, options)) {}
ConditionedGaussian::~ConditionedGaussian() = default;
ConditionedGaussian::ConditionedGaussian(ConditionedGaussian&&) noexcept = default;
ConditionedGaussian& ConditionedGaussian::operator=(ConditionedGaussian&&) noexcept = default;

const ConditioningReport& ConditionedGaussian::report() const { return posterior_->report(); }

at::Tensor ConditionedGaussian::mean() {
  return pinned(posterior_->gaussian().mean().add(posterior_->mean_correction()),
                posterior_->observations())
      .to(posterior_->device());
}

at::Tensor ConditionedGaussian::variance() {
  if (posterior_->observations().size() == 0) {
    at::Tensor variance = marginal_variance(posterior_->gaussian());
    const CommonUnknown& common = posterior_->common();
    if (common.column.defined()) {
      variance.add_(common.column.square().to(variance.device()), common.std * common.std);
    }
    return variance.to(posterior_->device());
  }
  return without_exact(posterior_->factored().variance().clone(), posterior_->observations())
      .to(posterior_->device());
}

at::Tensor ConditionedGaussian::samples(std::uint64_t seed, const SampleRange& range) {
  const StructuredGaussian& gaussian = posterior_->gaussian();
  const std::vector<std::uint64_t> seeds{seed};
  at::Tensor draws = sample(gaussian, seeds, {.range = range}).values;
  if (const CommonUnknown& common = posterior_->common(); common.column.defined()) {
    const std::vector<std::uint64_t> common_seeds{image_seed(seed, "common unknown")};
    const at::Tensor s = standard_normal(common_seeds, range, {1, 1}, gaussian.mean().options());
    draws = draws.add(common.column.mul(s.view({1, range.count, 1, 1})), common.std);
  }
  const std::int64_t given = posterior_->observations().given;
  if (given == 0) return draws.to(posterior_->device());
  const std::vector<std::uint64_t> noise_seeds{image_seed(seed, "observation noise")};
  const at::Tensor noise =
      standard_normal(noise_seeds, range, {1, given}, gaussian.mean().options());
  return condition_draws(draws, noise.view({range.count, given}));
}

at::Tensor ConditionedGaussian::condition_draws(const at::Tensor& draws, const at::Tensor& noise) {
  const StructuredGaussian& gaussian = posterior_->gaussian();
  const ObservationSet& observations = posterior_->observations();
  TORCH_CHECK(draws.dim() == 4 && draws.size(0) == 1 && draws.size(2) == gaussian.height() &&
                  draws.size(3) == gaussian.width(),
              "condition_draws: draws must be [1,S,",
              gaussian.height(),
              ",",
              gaussian.width(),
              "], got ",
              draws.sizes());
  TORCH_CHECK(
      noise.dim() == 2 && noise.size(0) == draws.size(1) && noise.size(1) == observations.given,
      "condition_draws: noise must be [",
      draws.size(1),
      ",",
      observations.given,
      "], one value for each sample and observation, got ",
      noise.sizes());
  const at::Device device = gaussian.mean().device();
  const auto exact = [&](const at::Tensor& x) { return x.detach().to(device).to(at::kDouble); };
  const at::Tensor field = exact(draws);
  const at::Tensor own_noise = exact(noise)
                                   .index_select(1, pixel_tensor(observations.position, device))
                                   .mul(observations.noise_variance.sqrt());
  const at::Tensor residuals = posterior_->residuals(field).add(own_noise);
  return pinned(field.add(posterior_->correction(residuals)), observations)
      .to(posterior_->device());
}

at::Tensor ConditionedGaussian::covariance_times(const at::Tensor& field) {
  const StructuredGaussian& gaussian = posterior_->gaussian();
  const at::Tensor exact = field.detach().to(gaussian.mean().device()).to(at::kDouble);
  at::Tensor prior = supn::covariance_times(gaussian, exact);
  if (const CommonUnknown& common = posterior_->common(); common.column.defined()) {
    const at::Tensor along = exact.mul(common.column).sum({2, 3}, /*keepdim=*/true);
    prior = prior.add(common.column.mul(along), common.std * common.std);
  }
  const ObservationSet& observations = posterior_->observations();
  const at::Tensor seen = gathered(prior, observations.pixels).neg();
  return without_exact(prior.add(posterior_->correction(seen)), observations)
      .to(posterior_->device());
}

CommonEstimate ConditionedGaussian::common() { return posterior_->common_estimate(); }

double ConditionedGaussian::log_evidence() {
  const std::int64_t count = posterior_->observations().size();
  if (count == 0) return 0.0;
  ObservationSystem& system = posterior_->factored();
  const at::Tensor residual = posterior_->residuals(posterior_->gaussian().mean()).squeeze(0);
  const at::Tensor weights = system.weights(residual, posterior_->mean_correction());
  return -0.5 * (residual.mul(weights).sum().item<double>() + system.log_determinant() +
                 static_cast<double>(count) * std::log(2.0 * std::numbers::pi));
}

at::Tensor ConditionedGaussian::distances() {
  const ObservationSet& observations = posterior_->observations();
  at::Tensor result = at::zeros({observations.given}, observations.values.options());
  if (observations.size() == 0) return result.to(posterior_->device());
  ObservationSystem& system = posterior_->factored();
  const at::Tensor precision = system.precision_diagonal();
  const at::Tensor residual = posterior_->residuals(posterior_->gaussian().mean()).squeeze(0);
  const at::Tensor weights = system.weights(residual, posterior_->mean_correction());
  result.index_copy_(
      0, pixel_tensor(observations.position, result.device()), weights.abs().div(precision.sqrt()));
  return result.to(posterior_->device());
}

}  // namespace supn
