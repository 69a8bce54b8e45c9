#include "supn/comparison/split_caption.hpp"

#include <c10/util/StringUtil.h>

#include <set>

#include "supn/evaluation/tables/score_table.hpp"
#include "supn/rounded.hpp"

namespace supn {
namespace {

using Caption = std::vector<std::pair<std::string, std::string>>;

void add_known_facts(const KnownRequest& known, Caption& caption) {
  const auto add = [&](const char* name, const std::string& text) {
    caption.emplace_back(name, text);
  };
  if (!known.counts.empty()) {
    add("points",
        c10::str("random ground truth, std ",
                 known.relative_noise,
                 " of the depth; accuracy and intervals (of new measurements) on the ground truth "
                 "outside the largest set"));
  }
  if (known.quantiles == QuantileRule::kTailed) {
    add("intervals given points",
        "by tailed quantiles (Johnson's S_U), fitted on the validation split");
  }
  if (known.active) {
    add("active points",
        "chosen one by one where they reduce the summed variance most, among 1024 random ones; "
        "var. left: the sum of the marginal variances, as a share of the prior's");
  }
  if (known.scale_std) {
    add("unknown scale",
        c10::str("its log is normal with std ",
                 *known.scale_std,
                 ", solved with the field; log scale: its conditional mean and std"));
  }
  if (known.outliers > 0.0) {
    add("outliers",
        c10::str(
            known.outliers,
            " of the points are 1.5 to 3 times too near or too far; gated: without those "
            "farther than ",
            known.gate,
            " standard deviations from what all others predict; recall, precision: over images "
            "with wrong or dropped ones"));
  }
  if (!known.beams.empty()) {
    add("beams",
        c10::str("of the scanner's 64, by the elevation of each point seen from the scanner, "
                 "spread evenly, std ",
                 known.relative_noise,
                 " of the depth; judged on the ground truth outside the largest set of beams"));
  }
}

void add_model_facts(const EvaluationRequest& request, const SplitFacts& facts, Caption& caption) {
  for (const ModelTemperatures& applied : facts.temperatures) {
    caption.emplace_back(
        "calibration of " + applied.model,
        applied.members.text() +
            "; against ground truth and given known points: " + applied.truth.text());
    if (!applied.truth.fit.isotropic || request.known.empty()) continue;
    const IsotropicField& field = *applied.truth.fit.isotropic;
    caption.emplace_back(
        "isotropic GP of " + applied.model,
        "exponential, on the log of true / predicted depth, fitted to the same points: std " +
            rounded(field.std, 3) + ", length " + rounded(field.length, 3) + " pixels, noise " +
            rounded(field.noise, 3));
  }
  for (const auto& [fit, temperature] : facts.fit_temperatures) {
    caption.emplace_back("calibration of ensemble fit: " + std::string(option_name(fit)),
                         "against ground truth: temperature " + rounded(temperature.value, 4) +
                             " ± " + rounded(temperature.standard_error, 2) +
                             ", fitted on the validation split");
  }
  if (!request.checkpoints.empty()) {
    caption.emplace_back("depth itself",
                         "pixels ranked by their predicted depth: what distance alone tells of "
                         "errors");
  }
  add_known_facts(request.known, caption);
  if (request.jacobi > 0) {
    caption.emplace_back("Jacobi residual",
                         c10::str("of one sample after ", request.jacobi, " sweeps"));
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

// Tells whether any row is of samples: of a checkpoint, an ensemble, a fit or the truth.
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
                         c10::str(facts.stored_members,
                                  " in the files; LL and std ratio against ",
                                  facts.imitated_members,
                                  " of them",
                                  request.ensemble ? ", ensemble row from all" : ""));
  }
  add_model_facts(request, facts, caption);
  const auto skipped = static_cast<std::int64_t>(facts.skipped.size());
  caption.emplace_back(
      "images", c10::str(facts.images, ", ", facts.images - skipped, " of them with ground truth"));
  std::string names;
  for (const std::string& name : facts.skipped) names += (names.empty() ? ": " : ", ") + name;
  caption.emplace_back("skipped for accuracy", std::to_string(skipped) + names);
  return caption;
}

}  // namespace supn
