#include "road_truth.hpp"

#include <ATen/TensorOperators.h>

#include <string>

#include "supn/evaluation/fields/convolved_field.hpp"

namespace supn::road {
namespace {

constexpr double kSharedByScene = 0.5;  // of s

at::Tensor shared_error(const JointField& field, std::uint64_t seed) {
  return (field.samples(seed, {0, 1}).values[0] - field.mean()) * kSharedByScene;
}

Truth factor_truth(const RoadSpread& spread, const at::Tensor& mean, std::uint64_t seed) {
  const StructuredGaussian made = road_factor(spread, mean);
  const at::Tensor error = shared_error(StructuredField(made.to(at::kDouble)), seed);
  const at::Tensor wrong_mean = (mean + error).to(at::kFloat).view(made.mean().sizes());
  const StructuredGaussian truth(
      wrong_mean, made.log_diagonal(), made.off_diagonal(), made.neighbourhood());
  return {{{{"mean", truth.mean()},
            {"log_diagonal", truth.log_diagonal()},
            {"off_diagonal", truth.off_diagonal()}},
           {{"radius", std::to_string(truth.neighbourhood().radius())}, {"quantity", "logit"}}},
          std::make_unique<StructuredField>(truth.to(at::kDouble))};
}

Truth kernel_truth(const RoadSpread& spread, const at::Tensor& mean, std::uint64_t seed) {
  const ConvolutionMaps maps{
      spread.std.to(at::kFloat), spread.range.to(at::kFloat), spread.edge_feature.to(at::kFloat)};
  const at::Tensor error = shared_error(ConvolvedField(mean, maps, kRoadNugget), seed);
  const at::Tensor wrong_mean = (mean + error).to(at::kFloat);
  return {
      {{{"mean", wrong_mean}, {"std", maps.std}, {"range", maps.range}, {"feature", maps.feature}},
       {{"nugget", std::to_string(kRoadNugget)}, {"quantity", "logit"}}},
      std::make_unique<ConvolvedField>(wrong_mean, maps, kRoadNugget)};
}

}  // namespace

Truth make_truth(SyntheticField kind,
                 const RoadView& view,
                 const RoadEnsemble& ensemble,
                 std::uint64_t seed) {
  const RoadSpread spread = road_spread(view);
  const at::Tensor mean = road_mean(view, spread, ensemble);
  return kind == SyntheticField::kFactor ? factor_truth(spread, mean, seed)
                                         : kernel_truth(spread, mean, seed);
}

}  // namespace supn::road
