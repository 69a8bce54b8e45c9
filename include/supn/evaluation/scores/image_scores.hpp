// Everything that is measured on one image, for a joint Gaussian and for an ensemble.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "supn/evaluation/calibration/calibration.hpp"
#include "supn/evaluation/calibration/interval_scores.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/fields/joint_field.hpp"
#include "supn/evaluation/fields/low_rank_field.hpp"
#include "supn/evaluation/scores/accuracy.hpp"
#include "supn/evaluation/scores/coupling.hpp"
#include "supn/evaluation/scores/sparsification.hpp"
#include "supn/evaluation/scores/spread.hpp"
#include "supn/evaluation/scores/texture.hpp"
#include "supn/evaluation/scores/whiteness.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Holds the log-likelihood of the members' finest logits under a Gaussian.
struct MemberLikelihood {
  double nats_per_pixel = 0.0;  // per pixel and member
  double nats = 0.0;            // summed over pixels and members
};

// Holds the scores against members (member_calibration.hpp).
struct MemberScores {
  Calibration pixels;
  Calibration regions;
  Calibration differences;
  double energy = 0.0;     // logits (proper_scores.hpp)
  double variogram = 0.0;  // logits
};

// Holds the scores against ground-truth points (truth_calibration.hpp).
struct TruthScores {
  Calibration points;
  std::optional<Calibration> regions;  // where a cell of the grid holds two points
  Calibration differences;
  double whitened_variance = 0.0;
  double joint_nll = 0.0;        // nats per point
  double independent_nll = 0.0;  // nats per point
  double energy = 0.0;
  double variogram = 0.0;
};

// Pixels are ranked by the std in each space (UncertaintySpace), exact marginals or members, and by
// the predicted depth itself: far is uncertain, which needs no model of uncertainty.
struct SpaceSparsification {
  Sparsification sigmoid;
  Sparsification logit;
  Sparsification depth;
  Sparsification distance;
};

// Holds the values of a curve; the key decides what they are plotted over (curve_sheet.hpp).
struct ImageCurve {
  std::string key;
  std::vector<double> values;
};

struct ImageScores {
  std::optional<Accuracy> mean;                        // of the mean; these four need ground truth
  std::optional<Accuracy> best;                        // per metric, of samples or members
  std::optional<Sparsification> sparsification;        // by the std of samples or members
  std::optional<Sparsification> exact_sparsification;  // by the exact marginals
  std::optional<SpaceSparsification> spaces;
  std::optional<MemberLikelihood> likelihood;
  std::optional<MemberLikelihood> second_likelihood;
  std::optional<SpreadRatio> spread;        // against two or more members, in logits
  std::optional<SpreadRatio> exact_spread;  // of the exact marginals
  // Compares the exact marginals with the members' root mean square about the model's mean.
  std::optional<SpreadRatio> spread_about_mean;
  std::optional<Texture> texture;         // of samples or members
  std::optional<Texture> member_texture;  // of the members that the model imitates
  std::optional<Coupling> coupling;       // of structured Gaussians, as is whiteness
  std::optional<Whiteness> whiteness;
  std::optional<MemberScores> member_scores;
  // Mean z² of the whitened members, finest level first, the coarsest grid last; empty in raster
  // order.
  std::vector<double> level_variances;
  std::optional<TruthScores> truth_scores;
  DepthIntervals intervals;           // of depth at ground-truth points
  std::optional<double> scale_ratio;  // of the mean, where the scale is fixed (scale_ratio.hpp)
  std::optional<double> logit_std;    // of samples or members, mean over pixels
  std::int64_t non_finite = 0;        // values of samples that are infinite or not a number
  std::vector<ImageCurve> curves;
};

// Tells whether a model has seen the members of `reference`: those that it was fitted to say
// nothing of its likelihood and calibration.
enum class MemberRole { kHeldOut, kFitted };

// Holds what one image offers; a score that needs an absent part is not measured.
struct ImageReference {
  at::Tensor members = {};  // logits [S,h,w] of the members that the model imitates, or undefined
  std::optional<GroundTruth> truth = std::nullopt;  // count() > 0
  std::uint64_t seed = 0;                           // of the samples: image_seed(config.seed, name)
  at::Tensor second_members = {};  // logits [V,h,w] of another ensemble, for likelihoods alone
  MemberRole role = MemberRole::kHeldOut;
  // Against ground-truth points every standard deviation is this many times the field's (a
  // temperature of the truth, where the field has that of the members).
  double truth_temperature = 1.0;
};

// field: over logits, at the members' size. "mean" is the depth of μ; "best" of config.samples
// exact samples; the uncertainty is the standard deviation of the first config.std_samples, and
// that of the exact marginals. Without a density there is no likelihood. The figures do not depend on the number of threads. Throws
// c10::Error if the members' size is another.
ImageScores score_field(const JointField& field,
                        const ImageReference& reference,
                        const EvaluationConfig& config);

// The same, with what only a structured Gaussian has.
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

// Scores the Gaussian that is fitted to reference.members; its likelihood is each member's under
// the fit to all others.
ImageScores score_fit(EnsembleFit fit,
                      const ImageReference& reference,
                      double truth_temperature,
                      const EvaluationConfig& config);

// Returns the ensemble's uncertainty [h,w] (a variance; only its order matters) from sigmoids and
// log-scales [S,h,w].
at::Tensor ensemble_uncertainty(EnsembleUncertainty variant,
                                const at::Tensor& sigmoids,
                                const at::Tensor& log_scale);
bool needs_log_scale(EnsembleUncertainty variant);

}  // namespace supn
