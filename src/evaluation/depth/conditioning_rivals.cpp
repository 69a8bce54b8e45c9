#include "supn/evaluation/depth/conditioning_rivals.hpp"

#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>

#include "supn/evaluation/depth/scattered.hpp"
#include "supn/evaluation/scores/order_statistics.hpp"

namespace supn {

std::vector<Rival> rivals_of(const std::optional<IsotropicField>& field) {
  std::vector<Rival> rivals;
  for (const auto& [name, rival] : OptionNames<Rival>::values) {
    if (rival != Rival::kIsotropic || field) rivals.push_back(rival);
  }
  return rivals;
}

at::Tensor log_depth_ratio(const at::Tensor& mean_logit,
                           const at::Tensor& pixels,
                           const at::Tensor& logits,
                           const DepthRange& range) {
  const at::Tensor predicted = mean_logit.reshape({-1}).index_select(0, pixels);
  return disparity_from_logit(predicted, range).log() - disparity_from_logit(logits, range).log();
}

LogDepthMarginals rival_depth(Rival rival,
                              const RivalInputs& inputs,
                              const DepthMeasurements& known) {
  TORCH_CHECK(known.count() > 0, "rival_depth: expected a known depth, got none");
  const ImageSize size{inputs.mean_logit.size(0), inputs.mean_logit.size(1)};
  if (rival == Rival::kLogDepth) {
    return {interpolate_scattered(known.pixels, known.depth_m.log(), size)};
  }
  const at::Tensor log_mean =
      depth_from_disparity(disparity_from_logit(inputs.mean_logit, inputs.range), inputs.scale)
          .log();
  const at::Tensor log_ratio =
      known.depth_m.log() - log_mean.reshape({-1}).index_select(0, known.pixels);
  switch (rival) {
    case Rival::kRatio:
      return {log_mean + interpolate_scattered(known.pixels, log_ratio, size)};
    case Rival::kMedian:
      return {log_mean + supn::median(log_ratio)};
    case Rival::kIsotropic: {
      TORCH_CHECK(inputs.field, "rival_depth: the isotropic field is missing");
      const IsotropicPosterior posterior(*inputs.field, {known.pixels, log_ratio, size.width});
      const double noise = inputs.field->noise * inputs.field->noise;
      return {log_mean + posterior.mean(size), [posterior, noise](const at::Tensor& pixels) {
                return posterior.variance(pixels) + noise;
              }};
    }
    case Rival::kLogDepth:
      break;
  }
  TORCH_CHECK(false, "rival_depth: unknown rival");
}

}  // namespace supn
