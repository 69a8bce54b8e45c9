#include "condition/condition_image.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "supn/gaussian/marginal.hpp"

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
      gaussian, all, {.limit = *options.gate, .conditioning = {.method = options.method}});
  result.gate_distances = gates.distances;
  result.gated = selected(result.known, gates.dropped);
  result.known = selected(result.known, gates.kept);
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
}

void condition(const StructuredGaussian& gaussian,
               const ConditionOptions& options,
               std::uint64_t seed,
               ConditionedImage& result) {
  const Observations observations =
      depth_observations(result.known, result.scale.scale, options.noise, kRange);
  ConditionedGaussian conditioned(
      gaussian,
      observations,
      {.method = options.method, .prior_variance = result.prior.variance.view_as(gaussian.mean())});
  result.posterior = conditioned_marginals(conditioned, options.method);
  if (options.method != ConditioningMethod::kPcg) result.log_evidence = conditioned.log_evidence();
  result.samples = conditioned.samples(seed, {0, options.samples})[0];
  result.report = conditioned.report();
}

}  // namespace

LogitMarginals conditioned_marginals(ConditionedGaussian& conditioned, ConditioningMethod method) {
  LogitMarginals marginals{map_of(conditioned.mean())};
  if (method != ConditioningMethod::kPcg) marginals.variance = map_of(conditioned.variance());
  return marginals;
}

ConditionedImage condition_image(const StructuredGaussian& gaussian,
                                 const at::Tensor& depth_m,
                                 const ConditionOptions& options,
                                 std::uint64_t seed) {
  const at::NoGradGuard no_grad;
  ConditionedImage result;
  const DepthMeasurements all = measurements_on_grid(depth_m, gaussian.size());
  result.measurements = all.count();
  const at::Tensor index = select_points(gaussian,
                                         all,
                                         {.selection = options.selection,
                                          .count = options.count_known.value_or(all.count()),
                                          .seed = seed,
                                          .scale = options.scale,
                                          .noise = options.noise});
  const DepthMeasurements chosen = selected(all, index);
  result.prior = {map_of(gaussian.mean()), map_of(marginal_variance(gaussian))};
  result.scale = choose_scale(options.scale, result.prior.mean, chosen);
  result.known = usable(chosen, result);
  with_remedy([&] {
    gate(gaussian, options, result);
    condition(gaussian, options, seed, result);
    return true;
  });
  score(depth_m, chosen.pixels, options, result);
  return result;
}

}  // namespace supn
