// The row of a synthetic set's truth, and how far a model is from it, image by image.
#pragma once

#include <optional>
#include <vector>

#include "eval/evaluated_models.hpp"
#include "supn/evaluation/scores/image_scores.hpp"
#include "supn/evaluation/tables/score_table.hpp"

namespace supn {

class TruthRow {
 public:
  // Reads the truth of a frame, which is then the one at hand.
  ImageScores score(const DataConfig& data,
                    const Frame& frame,
                    const ImageReference& reference,
                    const EvaluationConfig& evaluation);
  // Of a model's Gaussian on that frame, with its scores there: the gap of the members' likelihood
  // and the divergence, as far as the truth has a density; the errors of std and covariance.
  std::vector<NamedScore> distances(const StructuredGaussian& predicted,
                                    const ImageScores& scores) const;

 private:
  std::optional<TrueGaussian> gaussian_;
  std::optional<double> likelihood_;  // nats per pixel and member
};

}  // namespace supn
