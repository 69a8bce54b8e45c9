// What a model makes of an image when the depth of some pixels is known.
#pragma once

#include <cstdint>
#include <vector>

#include "supn/comparison/checkpoint_model.hpp"
#include "supn/comparison/evaluate_split.hpp"
#include "supn/comparison/observer.hpp"
#include "supn/data/dataset.hpp"
#include "supn/evaluation/depth/conditioned_rows.hpp"

namespace supn {

// The rows of request.known of one image, whose seed chooses the points. There is none, and a
// warning, where the model's Gaussian is not finite or the ground truth has too few points.
std::vector<ConditionedRow> score_known(const CheckpointModel& model,
                                        const StructuredGaussian& gaussian,
                                        const Example& example,
                                        std::uint64_t seed,
                                        const EvaluationRequest& request,
                                        const ComparisonConfig& config,
                                        const ComparisonObserver& observer);

}  // namespace supn
