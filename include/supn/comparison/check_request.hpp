// A request is checked before any work is done in vain.
#pragma once

#include <cstdint>
#include <vector>

#include "supn/comparison/checkpoint_model.hpp"
#include "supn/comparison/evaluate_split.hpp"
#include "supn/data/data_config.hpp"
#include "supn/data/dataset.hpp"

namespace supn {

// Throws ConfigError if nothing is asked for, or something whose files are not configured, and
// IoError if the results cannot be written to request.out, or one would replace an input.
void check_request(const EvaluationRequest& request, const DataConfig& data);

// Throws ConfigError where the request's quantiles are not fitted for the model.
void check_quantiles(const EvaluationRequest& request, const CheckpointModel& model);

// The members that models imitate: those of `stored` that are not excluded. Throws ConfigError if
// none is left, an excluded one is not there, or an ensemble's rows need more.
std::vector<std::int64_t> imitated_members(const EvaluationRequest& request,
                                           const DataConfig& data,
                                           std::int64_t stored);

// Sample files hold all members; the models are judged against those that they imitate.
DataConfig all_members_in(DataConfig data, const std::filesystem::path& samples);

// Says what is read of each image.
ExampleContents contents_of(const EvaluationRequest& request, const DataConfig& data);

}  // namespace supn
