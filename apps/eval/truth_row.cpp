#include "eval/truth_row.hpp"

#include <memory>

#include "supn/evaluation/fields/factor_distance.hpp"

namespace supn {

ImageScores TruthRow::score(const DataConfig& data,
                            const Frame& frame,
                            const ImageReference& reference,
                            const EvaluationConfig& evaluation) {
  gaussian_ = read_truth(data, frame);
  const auto* factor = std::get_if<StructuredGaussian>(&*gaussian_);
  ImageScores scores =
      factor != nullptr
          ? score_gaussian(*factor, reference, evaluation)
          : score_field(
                *std::get<std::unique_ptr<ConvolvedField>>(*gaussian_), reference, evaluation);
  likelihood_.reset();
  if (scores.likelihood) likelihood_ = scores.likelihood->nats_per_pixel;
  return scores;
}

std::vector<NamedScore> TruthRow::distances(const StructuredGaussian& predicted,
                                            const ImageScores& scores) const {
  if (!gaussian_) return {};
  const auto* factor = std::get_if<StructuredGaussian>(&*gaussian_);
  const FactorDistance distance =
      factor != nullptr
          ? factor_distance(*factor, predicted)
          : factor_distance(*std::get<std::unique_ptr<ConvolvedField>>(*gaussian_), predicted);
  std::vector<NamedScore> named{{"std_error", distance.std_error},
                                {"covariance_error", distance.covariance_error}};
  if (distance.kl) named.emplace_back("kl", *distance.kl);
  if (scores.likelihood && likelihood_) {
    named.emplace_back("ll_gap", *likelihood_ - scores.likelihood->nats_per_pixel);
  }
  return named;
}

}  // namespace supn
