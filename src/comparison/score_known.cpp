#include "supn/comparison/score_known.hpp"

#include "supn/comparison/beam_depths.hpp"
#include "supn/gaussian/is_finite.hpp"

namespace supn {

std::vector<ConditionedRow> score_known(const CheckpointModel& model,
                                        const StructuredGaussian& gaussian,
                                        const Example& example,
                                        std::uint64_t seed,
                                        const EvaluationRequest& request,
                                        const ComparisonConfig& config,
                                        const ComparisonObserver& observer) {
  const auto warn = [&](const std::string& why) {
    observer.on_warning(example.frame.id() + ": " + why + ": no rows of known points");
  };
  if (!is_finite(gaussian)) {
    warn(model.name() + " gives values that are not finite");
    return {};
  }
  const MeasuredImage depths{.depth_m = example.depth_m,
                             .beams_m = beam_depths(config.data, example, request.known.beams),
                             .seed = seed};
  auto rows = score_conditioned(model.name(),
                                with_temperature(gaussian, model.truth_factor()),
                                depths,
                                request.known,
                                {model.isotropic(), model.tails()},
                                config.evaluation);
  if (rows.empty()) warn("too little ground truth, or in other units");
  return rows;
}

}  // namespace supn
