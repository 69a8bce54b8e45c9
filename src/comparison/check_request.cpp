#include "supn/comparison/check_request.hpp"

#include <algorithm>
#include <string>

#include "supn/errors.hpp"
#include "supn/evaluation/tables/split_result.hpp"
#include "supn/serialization/output_guard.hpp"

namespace supn {
namespace {

void check_samples(const char* rows, const DataConfig& data) {
  if (!data.samples.empty()) return;
  throw ConfigError(std::string(rows) +
                    ": data.samples is not set; set it to the folder that supn_ensemble wrote");
}

void check_output(const EvaluationRequest& request, const DataConfig& data) {
  OutputGuard guard;
  for (const auto& file : request.config_files) guard.reads(file);
  for (const auto& [name, split] : OptionNames<Split>::values) {
    guard.reads(split_file(data, split));
  }
  check_split_result(guard, request.out);
}

}  // namespace

void check_request(const EvaluationRequest& request, const DataConfig& data) {
  if (request.checkpoints.empty() && request.external.empty() && !request.ensemble &&
      !request.ensemble_variants && !request.baselines && !request.truth) {
    throw ConfigError(
        "nothing to evaluate; ask for a row: of a checkpoint, of external maps, of the ensemble or "
        "of the truth");
  }
  if (!request.known.empty() && request.checkpoints.empty()) {
    throw ConfigError("known depths: their rows are of a checkpoint; give one");
  }
  if (request.ensemble) check_samples("the ensemble's row", data);
  if (request.ensemble_variants) check_samples("the ensemble variants' rows", data);
  if (request.baselines) check_samples("the baselines' rows", data);
  if (request.truth && data.truth.empty()) {
    throw ConfigError(
        "the truth's row: data.truth is not set; only synthetic sets (supn_data synth) have true "
        "Gaussians");
  }
  if (!request.out.empty()) check_output(request, data);
}

void check_quantiles(const EvaluationRequest& request, const CheckpointModel& model) {
  if (request.known.quantiles == QuantileRule::kGaussian || model.tails()) return;
  throw ConfigError("tailed quantiles: " + model.name() +
                    " has no tails; fit its temperature to the truth, which needs images with 400 "
                    "ground-truth points");
}

std::vector<std::int64_t> imitated_members(const EvaluationRequest& request,
                                           const DataConfig& data,
                                           std::int64_t stored) {
  if ((request.ensemble || request.ensemble_variants) && stored < 2) {
    throw ConfigError("the ensemble's row: the sample files hold " + std::to_string(stored) +
                      " member, an ensemble needs at least 2; run supn_ensemble with more");
  }
  const std::vector<std::int64_t>& excluded = data.exclude_members;
  std::vector<std::int64_t> imitated;
  for (std::int64_t member = 0; member < stored; ++member) {
    if (std::find(excluded.begin(), excluded.end(), member) == excluded.end()) {
      imitated.push_back(member);
    }
  }
  for (const std::int64_t member : excluded) {
    if (stored > 0 && member >= stored) {
      throw ConfigError("data.exclude_members: no member " + std::to_string(member) +
                        "; the sample files hold members 0 to " + std::to_string(stored - 1));
    }
  }
  if (stored > 0 && imitated.empty()) {
    throw ConfigError("data.exclude_members: excludes all members; leave at least one");
  }
  if (request.baselines && imitated.size() < 4) {
    throw ConfigError("the baselines' rows: " + std::to_string(imitated.size()) +
                      " members are left, a fit to all but one needs at least 4");
  }
  return imitated;
}

DataConfig all_members_in(DataConfig data, const std::filesystem::path& samples) {
  data.samples = samples;
  data.exclude_members.clear();
  return data;
}

ExampleContents contents_of(const EvaluationRequest& request, const DataConfig& data) {
  const bool log_scale = request.ensemble || request.ensemble_variants;
  return {.scales = data.samples.empty() ? 0 : 1,
          .depth = Presence::kIfPresent,
          .log_scale = log_scale ? Presence::kIfPresent : Presence::kUnused,
          // Networks alone look at images.
          .image = request.checkpoints.empty() ? Presence::kUnused : Presence::kRequired};
}

}  // namespace supn
