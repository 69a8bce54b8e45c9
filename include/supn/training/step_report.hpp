// What a step of training reports, how far training is, and how a step looks for faults: all that
// those need who follow a run without its network.
#pragma once

#include <cstdint>
#include <vector>

#include "supn/training/schedule.hpp"

namespace supn {

struct StepReport {
  Stage stage = Stage::kLikelihood;
  double loss = 0.0;
  std::vector<double> terms;  // per scale: -LL [nats/pixel/sample], or L1 [logits] in the warm-up
  double std_match = 0.0;     // unweighted; 0 where not asked for
  double energy_match = 0.0;  // unweighted
  double variogram_match = 0.0;  // unweighted
  double mean_l1 = 0.0;          // of training.losses.mean l1; logits, summed over scales
  double gradient_norm = 0.0;    // before clipping
  // This is the mean z² of the members (with their noise) at the finest scale
  // (factor_statistics.hpp); 0 in the warm-up.
  double residual_variance = 0.0;
  // This is the same by level, finest first and the coarsest grid last, of one member a step in
  // turn; empty in raster order and in the warm-up.
  std::vector<double> level_variances;
  double learning_rate = 0.0;  // of the SUPN decoder; of the mean network in the warm-up
};

// Both count over both stages.
struct TrainingProgress {
  std::int64_t finished_epochs = 0;
  std::int64_t finished_steps = 0;
};

// kEveryStep looks at what every operation gives, and stops at the first value that is not finite
// even where the loss hides it, at the cost of a pass over every result.
enum class AnomalyDetection { kAfterTheFact, kEveryStep };

}  // namespace supn
