// Validation measures these numbers at an epoch's end, on the validation split.
//
// The likelihood judges one-step residuals Lᵀ(d−μ) and is blind to the marginals: a factor whose
// samples explode can have the better likelihood (docs/method.md "Exploding samples"). So it always
// comes with what exact samples are like: their marginal std against the members' about their own
// mean, and about the model's mean μ (larger where μ misses the members' mean, as on new images),
// and their roughness and correlation lengths against the members' (texture.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "supn/evaluation/scores/spread.hpp"
#include "supn/network/training_range.hpp"
#include "supn/training/factor_statistics.hpp"

namespace supn {

// Holds the samples' texture relative to the members': 1 is right.
struct TextureRatio {
  double roughness = 0.0;
  double length_rows = 0.0;
  double length_columns = 0.0;
};

struct ValidationReport {
  std::int64_t images = 0;
  double mean_l1 = 0.0;                // |μ − members' mean| at the finest scale, logits
  std::vector<double> log_likelihood;  // per scale, nats/pixel/sample; empty in the warm-up
  // Model's marginal std / members', each quantile over pixels averaged over images; none in the
  // warm-up or for a single member.
  std::optional<SpreadRatio> std_ratio;
  // Model's marginal std / root mean square of the members about μ, in the same way.
  std::optional<SpreadRatio> std_ratio_about_mean = {};
  std::optional<TextureRatio> texture_ratio = {};  // averaged over images
  std::optional<FactorStatistics> factor;          // none in the warm-up
  std::optional<double> abs_rel;  // of the mean, over images with ground truth; none without
  std::optional<TrainingRange> range = {};  // none in the warm-up
  std::optional<double> scale_ratio =
      {};  // mean over these images, for a fixed scale (scale_ratio.hpp)
};

// The ratio by which samples are judged: about μ, or about the members' mean in reports without.
const std::optional<SpreadRatio>& judged_spread(const ValidationReport& report);

// The order in which epochs are preferred: a plausible median of judged_spread
// (is_plausible_spread) before none, then the likelihood at the finest scale; one that is not
// finite is never better.
bool is_better(const ValidationReport& candidate, const ValidationReport& best);

}  // namespace supn
