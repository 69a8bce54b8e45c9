// Everything that is measured on one image, for a structured Gaussian and for an ensemble.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "supn/evaluation/accuracy.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/sparsification.hpp"
#include "supn/evaluation/spread.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Of the members' finest logits under a Gaussian.
struct MemberLikelihood {
  double nats_per_pixel = 0.0;  // per pixel and member
  double nats = 0.0;            // summed over pixels and members
};

struct ImageScores {
  std::optional<Accuracy> mean;  // of the mean; these three need ground truth
  std::optional<Accuracy> best;  // per metric, of samples or members
  std::optional<Sparsification> sparsification;
  std::optional<MemberLikelihood> likelihood;
  std::optional<SpreadRatio> spread;  // against two or more members, in logits
  double logit_std = 0.0;             // of samples or members, mean over pixels
  std::int64_t non_finite = 0;        // values of samples that are infinite or not a number
};

// What one image offers; what is absent is not measured.
struct ImageReference {
  at::Tensor members = {};  // logits [S,h,w] of the members that the model imitates, or undefined
  std::optional<GroundTruth> truth = std::nullopt;  // count() > 0
  std::uint64_t seed = 0;                           // of the samples: image_seed(config.seed, name)
};

// gaussian: one image over logits, at the members' size, on the CPU. "mean" is the depth of μ;
// "best" of config.samples exact samples; the uncertainty is the standard deviation of the first
// config.std_samples. Throws c10::Error if the members' size is another.
ImageScores score_gaussian(const StructuredGaussian& gaussian,
                           const ImageReference& reference,
                           const EvaluationConfig& config);

// members: logits [S,h,w], S >= 2; log_scale [S,h,w] or undefined. "mean" is the depth of the mean
// of sigmoids, "best" of the members. Only the truth of `reference` is used. Throws c10::Error if
// config.ensemble_uncertainty needs log-scales and there are none, or if it is not empirical
// outside sigmoid space, where log-scales have no meaning.
ImageScores score_ensemble(const at::Tensor& members,
                           const at::Tensor& log_scale,
                           const ImageReference& reference,
                           const EvaluationConfig& config);

// Ensemble uncertainty [h,w] (a variance; only its order matters) from sigmoids and log-scales
// [S,h,w].
at::Tensor ensemble_uncertainty(EnsembleUncertainty variant,
                                const at::Tensor& sigmoids,
                                const at::Tensor& log_scale);
bool needs_log_scale(EnsembleUncertainty variant);

// The scores by their column keys (score_columns.hpp), only those that were measured;
// "non_finite" only where there are such values.
using NamedScore = std::pair<std::string_view, double>;
std::vector<NamedScore> named_scores(const ImageScores& scores);

}  // namespace supn
