// The truth of a synthetic set is scored like a model, and models by how far they are from it.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "supn/evaluation/fields/convolved_field.hpp"
#include "supn/evaluation/scores/image_scores.hpp"
#include "supn/evaluation/tables/score_table.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// What a synthetic set's members are drawn from: a sparse factor or smoothed noise.
using TrueGaussian = std::variant<StructuredGaussian, std::unique_ptr<ConvolvedField>>;

struct ScoredTruth {
  TrueGaussian gaussian;
  ImageScores scores;
};

ScoredTruth score_truth(TrueGaussian gaussian,
                        const ImageReference& reference,
                        const EvaluationConfig& config);

// Names a model's distances from the truth on one image: errors of std and covariance, and, as far
// as the truth has a density, the divergence and how much less likely the members are than under
// the truth, in nats per pixel. scores: the model's own.
std::vector<NamedScore> distances_from(const ScoredTruth& truth,
                                       const StructuredGaussian& predicted,
                                       const ImageScores& scores);

}  // namespace supn
