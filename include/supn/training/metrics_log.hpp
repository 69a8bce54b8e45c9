// A run leaves these files for people and scripts to read.
//
// metrics.jsonl: one JSON object a line, appended as training goes on. Not finite is null.
//
//   {"kind":"step","epoch":1,"step":7,"stage":"likelihood","loss":..,"terms":[..],"std_match":..,
//    "energy_match":..,"variogram_match":..,"mean_l1":..,"gradient_norm":..,"residual_variance":..,
//    "level_variances":[..],"learning_rate":..}
//   {"kind":"epoch","epoch":1,"stage":"likelihood","steps":39,"seconds":..,"images_per_second":..,
//    "waiting":..,
//    "train":{"loss":..,"log_likelihood":[..] or "l1":[..],"largest_gradient_norm":..,
//    "residual_variance":..,"level_variances":[..]},
//    "val":{"images":..,"mean_l1":..,"log_likelihood":[..],"std_ratio":{"low","median","high"},
//    "std_ratio_about_mean":{"low","median","high"},"texture_ratio":{"roughness","length_rows",
//    "length_columns"},"residual_variance":..,"levels":[{"log_likelihood","residual_variance"},..],
//    "coupled_share":..,"phi":{"lowest","highest"},"abs_rel":..},"best":true}
//
// Epochs count from 1 over both stages, steps from 1 over the whole run. Log-likelihoods are
// nats/pixel/sample per scale, finest first; train's is the average over the epoch's steps. waiting
// is the share of training's time spent waiting for the loader; images_per_second is of training.
// residual_variance, levels, coupled_share and phi: factor_statistics.hpp. Levels, in the order
// from coarse to fine alone, come finest first, the coarsest grid last.
//
// metrics.csv: the epochs' lines as a table, the finest scale alone; written anew after each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "supn/training/schedule.hpp"
#include "supn/training/step_report.hpp"
#include "supn/training/validation_report.hpp"

namespace supn {

struct EpochReport {
  std::int64_t epoch = 0;  // from 1
  Stage stage = Stage::kLikelihood;
  std::int64_t steps = 0;
  double seconds = 0.0;  // training and validation
  double images_per_second = 0.0;
  double waiting = 0.0;  // share of training's time
  double train_loss = 0.0;
  std::vector<double> train_terms;  // as StepReport::terms
  double largest_gradient_norm = 0.0;
  double residual_variance = 0.0;       // of the training images; 0 in the warm-up
  std::vector<double> level_variances;  // as StepReport::level_variances
  std::optional<ValidationReport> validation;
  bool best = false;  // became best/
};

class MetricsLog {
 public:
  // Keeps the lines of these epochs and steps of an existing metrics.jsonl and drops those of later
  // ones, which were not saved. Throws IoError if it cannot be read, written or parsed.
  MetricsLog(const std::filesystem::path& directory, const TrainingProgress& finished);

  void write_step(const StepReport& step, const TrainingProgress& before);
  void write_epoch(const EpochReport& epoch);

 private:
  void write_line(const std::string& line);

  std::filesystem::path file_;
  std::filesystem::path table_file_;
  std::string table_;
  std::ofstream stream_;
};

}  // namespace supn
