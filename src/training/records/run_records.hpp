// Everything that a run writes beside its checkpoints: metrics.jsonl, metrics.csv, TensorBoard's
// event files.
//
// Tags: loss/* (total, std_match, energy_match, variogram_match), nll/scale_<s> [nats/pixel/sample]
// or l1/scale_<s> in the warm-up, optimizer/{gradient_norm,learning_rate},
// speed/{images_per_second,waiting}, train/residual_variance; after a validation val/*, the
// histograms factor/{phi,psi,rho} and, of the first validation images,
// {input,mean,std,sample,truth}/<image>. The axis is the run's finished steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "supn/serialization/event_file.hpp"
#include "supn/training/metrics_log.hpp"
#include "supn/training/run.hpp"
#include "training/records/pictures.hpp"

namespace supn {

class RunRecords {
 public:
  // Takes back what was recorded after `finished`. Throws IoError.
  RunRecords(const std::filesystem::path& directory,
             const TensorboardConfig& config,
             const TrainingProgress& finished);

  void write_step(const TrainedStep& step, const TrainingProgress& before);
  void write_epoch(const EpochReport& report, std::int64_t finished_steps);
  void write_pictures(const std::string& image,
                      const std::vector<Picture>& pictures,
                      std::int64_t finished_steps);
  // Says how many validation images are to be shown.
  std::int64_t pictured_images() const { return events_ ? config_.images : 0; }

 private:
  void write_curves(const TrainedStep& step, std::int64_t finished_steps);

  TensorboardConfig config_;
  MetricsLog log_;
  std::optional<EventFile> events_;
};

}  // namespace supn
