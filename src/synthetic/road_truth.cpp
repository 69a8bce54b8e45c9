#include "road_truth.hpp"

#include <ATen/TensorOperators.h>

#include <array>
#include <string>
#include <utility>

#include "supn/evaluation/fields/convolved_field.hpp"

namespace supn::road {
namespace {

constexpr double kSharedByScene = 0.5;  // of s

Truth factor_truth(const RoadSpread& spread, const at::Tensor& mean, const SceneDraws& draws) {
  const StructuredGaussian made = road_factor(spread, mean);
  const StructuredField drawn(made.to(at::kDouble));
  const at::Tensor error =
      (drawn.samples(draws.shared_seed, {0, 1}).values[0] - drawn.mean()) * kSharedByScene;
  const at::Tensor wrong_mean = (mean + error).to(at::kFloat).view(made.mean().sizes());
  const StructuredGaussian truth(
      wrong_mean, made.log_diagonal(), made.off_diagonal(), made.neighbourhood());
  auto field = std::make_unique<StructuredField>(truth.to(at::kDouble));
  at::Tensor members = field->samples(draws.members_seed, {0, draws.members}).values;
  return {{{{"mean", truth.mean()},
            {"log_diagonal", truth.log_diagonal()},
            {"off_diagonal", truth.off_diagonal()}},
           {{"radius", std::to_string(truth.neighbourhood().radius())}, {"quantity", "logit"}}},
          std::move(field),
          std::move(members)};
}

Truth kernel_truth(const RoadSpread& spread, const at::Tensor& mean, const SceneDraws& draws) {
  const ConvolutionMaps maps{
      spread.std.to(at::kFloat), spread.range.to(at::kFloat), spread.edge_feature.to(at::kFloat)};
  const ConvolvedField made(mean, maps, kRoadNugget);
  const std::array<SeededRange, 2> ranges{
      {{draws.shared_seed, {0, 1}}, {draws.members_seed, {0, draws.members}}}};
  const auto [smooth, own] = made.deviations(ranges);
  const at::Tensor shared = made.mean() + smooth[0] + own[0];
  const at::Tensor wrong_mean = (mean + (shared - made.mean()) * kSharedByScene).to(at::kFloat);
  auto field = std::make_unique<ConvolvedField>(wrong_mean, maps, kRoadNugget);
  at::Tensor members =
      field->mean() + smooth.narrow(0, 1, draws.members) + own.narrow(0, 1, draws.members);
  return {
      {{{"mean", wrong_mean}, {"std", maps.std}, {"range", maps.range}, {"feature", maps.feature}},
       {{"nugget", std::to_string(kRoadNugget)}, {"quantity", "logit"}}},
      std::move(field),
      std::move(members)};
}

}  // namespace

Truth make_truth(SyntheticField kind,
                 const RoadView& view,
                 const RoadEnsemble& ensemble,
                 const SceneDraws& draws) {
  const RoadSpread spread = road_spread(view);
  const at::Tensor mean = road_mean(view, spread, ensemble);
  return kind == SyntheticField::kFactor ? factor_truth(spread, mean, draws)
                                         : kernel_truth(spread, mean, draws);
}

}  // namespace supn::road
