#include "supn/evaluation/depth/condition_image.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "supn/evaluation/depth/unknown_scale.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/rounded.hpp"
#include "supn/with_remedy.hpp"

namespace supn {
namespace {

const DepthRange kRange;

at::Tensor map_of(const at::Tensor& field) { return field.to(at::kDouble)[0][0]; }

// Measurements that were chosen and that some logit expresses.
DepthMeasurements usable(const DepthMeasurements& chosen, ConditionedImage& result) {
  const at::Tensor index = representable(chosen, result.scale.scale, kRange);
  result.out_of_range = chosen.count() - index.size(0);
  return selected(chosen, index);
}

// Splits `known` by the gate.
void gate(const StructuredGaussian& gaussian,
          const ConditionOptions& options,
          ConditionedImage& result) {
  result.gate_distances = at::empty({0}, at::kDouble);
  result.gated = selected(result.known, at::empty({0}, at::kLong));
  if (!options.gate) return;
  const Observations all =
      depth_observations(result.known, result.scale.scale, options.noise, kRange);
  const GateResult gates = gate_outliers(
      gaussian,
      all,
      {.limit = *options.gate, .conditioning = conditioning_options(gaussian, options)});
  result.gate_distances = gates.distances;
  result.gated = selected(result.known, gates.dropped);
  result.known = selected(result.known, gates.kept);
}

std::string depths_text(const DepthMeasurements& measurements) {
  return rounded(measurements.depth_m.min().item<double>(), 4) + " to " +
         rounded(measurements.depth_m.max().item<double>(), 4);
}

// No known point is a wish where none was asked for; else it is a mistake, and the map would come
// out as if nothing had been measured.
void require_known(const DepthMeasurements& chosen,
                   const ConditionOptions& options,
                   const ConditionedImage& result) {
  if (result.known.count() > 0 || options.count_known == 0) return;
  const std::string scale = rounded(result.scale.scale, 4);
  if (chosen.count() == 0) throw ConfigError("no measured depth falls on a pixel of the maps");
  if (result.gated.pixels.defined() && result.gated.count() > 0) {
    throw ConfigError("--gate " + rounded(*options.gate, 6) + ": leaves out all " +
                      std::to_string(result.gated.count()) +
                      " known depths; are they metres, and is the scale (" + scale + ", " +
                      result.scale.reason + ") right? Check --scale and --noise-relative");
  }
  throw ConfigError("none of the " + std::to_string(chosen.count()) + " measured depths (" +
                    depths_text(chosen) + ") lies within the " +
                    rounded(kRange.min_depth * result.scale.scale, 4) + " to " +
                    rounded(kRange.max_depth * result.scale.scale, 4) +
                    " m that the maps can express at scale " + scale + " (" + result.scale.reason +
                    "); are they metres? Divide millimetres by 1000, or check --scale");
}

void score(const at::Tensor& depth_m,
           const at::Tensor& chosen,
           const ConditionOptions& options,
           ConditionedImage& result) {
  const ImageSize grid{result.prior.mean.size(0), result.prior.mean.size(1)};
  const GroundTruth truth =
      ground_truth(without_measurements(depth_m, chosen, grid), options.protocol);
  if (truth.count() == 0) return;
  const MeasurementModel model{result.scale.scale, options.noise, kRange};
  result.before = score_held_back(result.prior, truth, model);
  result.after = score_held_back(result.posterior, truth, model);
  if (result.known.count() == 0) return;
  const RivalInputs inputs{result.prior.mean, result.scale.scale, kRange};
  for (const Rival rival : {Rival::kLogDepth, Rival::kRatio}) {
    result.rivals.emplace_back(rival,
                               score_rival(rival_depth(rival, inputs, result.known), truth, model));
  }
}

void condition(const StructuredGaussian& gaussian,
               const ConditionOptions& options,
               const at::Tensor& variance,
               std::uint64_t seed,
               ConditionedImage& result) {
  const Observations observations =
      depth_observations(result.known, result.scale.scale, options.noise, kRange);
  ConditioningOptions how = conditioning_options(gaussian, options);
  how.prior_variance = variance.view_as(gaussian.mean());
  ConditionedGaussian conditioned(gaussian, observations, how);
  result.posterior = conditioned_marginals(conditioned, options.method);
  if (options.method != ConditioningMethod::kPcg) result.log_evidence = conditioned.log_evidence();
  if (options.scale_std) result.log_scale = conditioned.common();
  result.samples = conditioned.samples(seed, {0, options.samples})[0];
  result.report = conditioned.report();
}

}  // namespace

ConditioningOptions conditioning_options(const StructuredGaussian& gaussian,
                                         const ConditionOptions& options) {
  ConditioningOptions result{.method = options.method};
  if (options.scale_std) {
    result.common = unknown_scale(gaussian.mean(), *options.scale_std, kRange);
  }
  return result;
}

LogitMarginals conditioned_marginals(ConditionedGaussian& conditioned, ConditioningMethod method) {
  LogitMarginals marginals{map_of(conditioned.mean())};
  if (method != ConditioningMethod::kPcg) marginals.variance = map_of(conditioned.variance());
  return marginals;
}

ConditionedImage condition_image(const StructuredGaussian& gaussian,
                                 const MeasuredMaps& maps,
                                 const ConditionOptions& options,
                                 std::uint64_t seed) {
  const at::NoGradGuard no_grad;
  ConditionedImage result;
  const DepthMeasurements all = measurements_on_grid(
      maps.offered.defined() ? maps.offered : maps.depth_m, gaussian.size(), maps.std_m);
  result.measurements = all.count();
  const at::Tensor index = select_points(gaussian,
                                         all,
                                         {.selection = options.selection,
                                          .count = options.count_known.value_or(all.count()),
                                          .seed = seed,
                                          .scale = options.scale,
                                          .noise = options.noise});
  const DepthMeasurements chosen = selected(all, index);
  const at::Tensor variance = map_of(marginal_variance(gaussian));
  result.prior = {map_of(gaussian.mean()), variance};
  if (const CommonUnknown scale = conditioning_options(gaussian, options).common;
      scale.column.defined()) {
    result.prior.variance = variance.add(map_of(scale.column).square(), scale.std * scale.std);
  }
  result.scale = choose_scale(options.scale, result.prior.mean, chosen);
  result.known = usable(chosen, result);
  require_known(chosen, options, result);
  with_remedy(kConditionRemedy, [&] {
    gate(gaussian, options, result);
    require_known(chosen, options, result);
    condition(gaussian, options, variance, seed, result);
    return true;
  });
  score(maps.depth_m, chosen.pixels, options, result);
  return result;
}

}  // namespace supn
