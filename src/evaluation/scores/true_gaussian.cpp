#include "supn/evaluation/scores/true_gaussian.hpp"

#include <utility>

#include "supn/evaluation/fields/factor_distance.hpp"

namespace supn {

ScoredTruth score_truth(TrueGaussian gaussian,
                        const ImageReference& reference,
                        const EvaluationConfig& config) {
  const auto* factor = std::get_if<StructuredGaussian>(&gaussian);
  ImageScores scores =
      factor != nullptr
          ? score_gaussian(*factor, reference, config)
          : score_field(*std::get<std::unique_ptr<ConvolvedField>>(gaussian), reference, config);
  return {std::move(gaussian), std::move(scores)};
}

std::vector<NamedScore> distances_from(const ScoredTruth& truth,
                                       const StructuredGaussian& predicted,
                                       const ImageScores& scores) {
  const auto* factor = std::get_if<StructuredGaussian>(&truth.gaussian);
  const FactorDistance distance =
      factor != nullptr
          ? factor_distance(*factor, predicted)
          : factor_distance(*std::get<std::unique_ptr<ConvolvedField>>(truth.gaussian), predicted);
  std::vector<NamedScore> named{{"std_error", distance.std_error},
                                {"covariance_error", distance.covariance_error}};
  if (distance.kl) named.emplace_back("kl", *distance.kl);
  if (scores.likelihood && truth.scores.likelihood) {
    named.emplace_back("ll_gap",
                       truth.scores.likelihood->nats_per_pixel - scores.likelihood->nats_per_pixel);
  }
  return named;
}

}  // namespace supn
