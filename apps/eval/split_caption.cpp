#include "eval/split_caption.hpp"

#include <spdlog/fmt/fmt.h>

#include <set>

#include "supn/evaluation/tables/score_table.hpp"

namespace supn {
namespace {

using Caption = std::vector<std::pair<std::string, std::string>>;

void add_model_facts(const EvaluationRequest& request, const SplitFacts& facts, Caption& caption) {
  for (const ModelTemperatures& applied : facts.temperatures) {
    caption.emplace_back(
        "calibration of " + applied.model,
        applied.members.text() +
            "; against ground truth and given known points: " + applied.truth.text());
    if (!applied.truth.fit.isotropic || request.known_points.empty()) continue;
    const IsotropicField& field = *applied.truth.fit.isotropic;
    caption.emplace_back(
        "isotropic GP of " + applied.model,
        fmt::format("exponential, on the log of true / predicted depth, fitted to the "
                    "same points: std {:.3g}, length {:.3g} pixels, noise {:.3g}",
                    field.std,
                    field.length,
                    field.noise));
  }
  for (const auto& [fit, temperature] : facts.fit_temperatures) {
    caption.emplace_back("calibration of ensemble fit: " + std::string(option_name(fit)),
                         fmt::format("against ground truth: temperature {:.4g} ± {:.2g}, fitted on "
                                     "the validation split",
                                     temperature.value,
                                     temperature.standard_error));
  }
  if (!request.checkpoints.empty()) {
    caption.emplace_back("depth itself",
                         "pixels ranked by their predicted depth: what distance alone tells of "
                         "errors");
  }
  if (!request.known_points.empty()) {
    caption.emplace_back(
        "points",
        fmt::format("random ground truth, std {:g} of the depth; accuracy and intervals (of new "
                    "measurements) on the ground truth outside the largest set",
                    request.known_noise));
  }
  if (request.jacobi > 0) {
    caption.emplace_back("Jacobi residual",
                         fmt::format("of one sample after {} sweeps", request.jacobi));
  }
  if (!request.second_samples.empty()) {
    caption.emplace_back("LL B", "of the members in " + request.second_samples.string());
  }
  if (request.baselines) {
    caption.emplace_back("ensemble fit",
                         "fitted to the members of the image itself; LL is each member's under the "
                         "fit to all others");
  }
}

// Whether any row is of samples: of a checkpoint, an ensemble, a fit or the truth.
bool has_distributions(const EvaluationRequest& request) {
  return !request.checkpoints.empty() || request.ensemble || request.ensemble_variants ||
         request.baselines || request.truth;
}

bool is_of_distributions(const std::pair<std::string, std::string>& line) {
  static const std::set<std::string> names = {"best",
                                              "uncertainty",
                                              "LL",
                                              "std ratio",
                                              "roughness, length",
                                              "rho > 1, gain > 1",
                                              "calibration"};
  return names.count(line.first) > 0;
}

}  // namespace

Caption split_caption(const EvaluationRequest& request,
                      const EvaluationConfig& evaluation,
                      const SplitFacts& facts) {
  Caption caption = protocol_caption(evaluation);
  if (!has_distributions(request)) std::erase_if(caption, is_of_distributions);
  caption.insert(caption.end(), facts.external.begin(), facts.external.end());
  if (request.ensemble) {
    caption.emplace_back("ensemble uncertainty",
                         std::string(option_name(evaluation.ensemble_uncertainty)));
  }
  if (facts.imitated_members > 0) {
    caption.emplace_back("members",
                         fmt::format("{} in the files; LL and std ratio against {} of them{}",
                                     facts.stored_members,
                                     facts.imitated_members,
                                     request.ensemble ? ", ensemble row from all" : ""));
  }
  add_model_facts(request, facts, caption);
  const auto skipped = static_cast<std::int64_t>(facts.skipped.size());
  caption.emplace_back(
      "images",
      fmt::format("{}, {} of them with ground truth", facts.images, facts.images - skipped));
  std::string names;
  for (const std::string& name : facts.skipped) names += (names.empty() ? ": " : ", ") + name;
  caption.emplace_back("skipped for accuracy", std::to_string(skipped) + names);
  return caption;
}

}  // namespace supn
