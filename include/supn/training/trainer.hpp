// One optimisation step of a SUPN network, and all the state that decides the next one: network,
// optimizer, progress. The loop over epochs and everything that is written is run.hpp's.
//
// Two stages (schedule.hpp): the mean warm-up minimises mean_l1 and runs no SUPN decoder; the
// likelihood stage minimises
//
//   ensemble_nll + std_match·std_matching + energy_match·energy_matching +
//   variogram_match·variogram_matching (+ mean_l1, for training.losses.mean l1)
//
// (the first with training.losses.likelihood_bound, where that is set)
// with one Adam group per parameter group. The optimizer starts anew with each stage. A mean
// network whose learning-rate factor is 0 is frozen: no gradients, batch norm with its running
// statistics. Two trainers in the same state that get the same batches stay bit-identical on the
// CPU (same number of threads): noise is keyed by seed, step and image name.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "supn/data/batch.hpp"
#include "supn/network/supn_network.hpp"
#include "supn/training/schedule.hpp"
#include "supn/training/step_report.hpp"
#include "supn/training/training_config.hpp"

namespace torch::optim {
class Adam;
}

namespace supn {

struct StepLosses;
class ProcessGroup;

class Trainer {
 public:
  // Puts the network into training mode, and on a GPU its weights into the layout channels last.
  // Throws ConfigError if the processor has no bf16 (training.precision), or if the losses ask for
  // what the network does not have (std_match without factored, radius 2; more scales than there
  // are); c10::Error if steps_per_epoch < 1.
  Trainer(SupnNetwork network, const TrainingConfig& config, std::int64_t steps_per_epoch);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Throws ConfigError naming epoch, step, images and the first layer at fault if the loss or the
  // gradient is not finite; the parameters are then those before the step. One synchronisation with
  // the device.
  StepReport step(const Batch& batch);
  void finish_epoch();
  // Training mode again, as after a validation.
  void resume_training_mode();

  // Each of these processes has a trainer in the same state and steps through its part of every
  // batch: reports and gradients are then those of the whole. Without: a lone process.
  void share_steps(std::shared_ptr<const ProcessGroup> processes);

  void detect_anomalies(AnomalyDetection detection) { detection_ = detection; }

  const TrainingProgress& progress() const { return progress_; }
  const SupnNetwork& network() const { return network_; }

  // Adam's moments by parameter name, on the CPU; empty at the start of a stage.
  std::map<std::string, at::Tensor> optimizer_state() const;
  // Call this before the first step, on a trainer whose network holds the weights of that moment.
  void restore(const TrainingProgress& progress,
               const std::map<std::string, at::Tensor>& optimizer_state);

 private:
  Stage stage() const { return stage_of(progress_.finished_epochs, config_); }
  void begin_stage();
  StepLosses losses(const Batch& batch);
  // Returns the rate before the schedule; 0 where the group is not trained in this stage.
  double base_rate(ParameterGroup group) const;
  double set_learning_rates();
  std::map<std::string, at::Tensor> named_parameters() const;
  // fault: the first place that is not finite, "" where it is to be found out.
  [[noreturn]] void refuse(const StepReport& report, const Batch& batch, std::string fault);

  SupnNetwork network_;
  TrainingConfig config_;
  std::int64_t steps_per_epoch_;
  TrainingProgress progress_;
  std::shared_ptr<const ProcessGroup> processes_;
  std::unique_ptr<torch::optim::Adam> optimizer_;
  std::vector<ParameterGroup> groups_;  // of the optimizer, in its order
  AnomalyDetection detection_ = AnomalyDetection::kAfterTheFact;
};

}  // namespace supn
