// metrics.jsonl: one JSON object a line, appended as training goes on. Not finite is null.
//
//   {"kind":"step","epoch":1,"step":7,"stage":"likelihood","loss":..,"terms":[..],"std_match":..,
//    "energy_match":..,"gradient_norm":..,"learning_rate":..}
//   {"kind":"epoch","epoch":1,"stage":"likelihood","steps":39,"seconds":..,
//    "train":{"loss":..,"log_likelihood":[..] or "l1":[..],"largest_gradient_norm":..},
//    "val":{"images":..,"mean_l1":..,"log_likelihood":[..],"std_ratio":{"low","median","high"},
//    "abs_rel":..},"best":true}
//
// Epochs count from 1 over both stages, steps from 1 over the whole run. Log-likelihoods are
// nats/pixel/sample per scale, finest first; train's is the average over the epoch's steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "supn/training/trainer.hpp"
#include "supn/training/validation.hpp"

namespace supn {

struct EpochReport {
  std::int64_t epoch = 0;  // from 1
  Stage stage = Stage::kLikelihood;
  std::int64_t steps = 0;
  double seconds = 0.0;  // training and validation
  double train_loss = 0.0;
  std::vector<double> train_terms;  // as StepReport::terms
  double largest_gradient_norm = 0.0;
  std::optional<ValidationReport> validation;
  bool best = false;  // became best/
};

class MetricsLog {
 public:
  // Keeps the lines of the first `finished_epochs` epochs of an existing file and drops what an
  // interrupted epoch left behind. Throws IoError if the file cannot be read, written or parsed.
  MetricsLog(const std::filesystem::path& file, std::int64_t finished_epochs);

  void write_step(const StepReport& step, const TrainingProgress& before);
  void write_epoch(const EpochReport& epoch);

 private:
  void write_line(const std::string& line);

  std::filesystem::path file_;
  std::ofstream stream_;
};

}  // namespace supn
