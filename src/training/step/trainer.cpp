#include "supn/training/trainer.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/stack.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/optim/adam.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "supn/errors.hpp"
#include "supn/network/batch_norm.hpp"
#include "supn/training/process_group.hpp"
#include "training/step/adam_state.hpp"
#include "training/step/fused_adam.hpp"
#include "training/step/non_finite.hpp"
#include "training/step/precision.hpp"
#include "training/step/step_losses.hpp"

namespace supn {
namespace {

std::vector<at::Tensor> gradients_of(const torch::optim::Adam& optimizer) {
  std::vector<at::Tensor> gradients;
  for (const auto& group : optimizer.param_groups()) {
    for (const at::Tensor& parameter : group.params()) {
      if (parameter.grad().defined()) gradients.push_back(parameter.grad());
    }
  }
  return gradients;
}

at::Tensor norm_of(const std::vector<at::Tensor>& gradients) {
  return at::stack(at::_foreach_norm(gradients)).norm();
}

void check_losses(const SupnNetworkImpl& network, const LossConfig& losses) {
  const NetworkConfig& config = network.config();
  const bool has_local_std = config.order == PixelOrder::kRaster &&
                             config.off_diagonal == OffDiagonalForm::kFactored &&
                             config.neighbourhood_radius == 2;
  if (losses.std_match > 0.0 && !has_local_std) {
    throw ConfigError(
        "training.losses.std_match: needs network.off_diagonal factored with "
        "network.neighbourhood_radius 2; use training.losses.energy_match for other forms");
  }
  if (losses.scales > network.scales()) {
    throw ConfigError("training.losses.scales: " + std::to_string(losses.scales) +
                      " scales asked for, the network has " + std::to_string(network.scales()));
  }
}

}  // namespace

Trainer::Trainer(SupnNetwork network, const TrainingConfig& config, std::int64_t steps_per_epoch)
    : network_(std::move(network)),
      config_(config),
      steps_per_epoch_(steps_per_epoch),
      processes_(std::make_shared<ProcessGroup>()) {
  TORCH_CHECK(
      steps_per_epoch >= 1, "Trainer: expected at least one step per epoch, got ", steps_per_epoch);
  check_losses(*network_, config_.losses);
  const at::Device device = network_->parameters().front().device();
  check_precision(config_.precision, device);
  if (device.is_cuda()) lay_out_channels_last(*network_);
  begin_stage();
}

Trainer::~Trainer() = default;

double Trainer::base_rate(ParameterGroup group) const {
  const OptimizerConfig& options = config_.optimizer;
  if (stage() == Stage::kWarmUp) {
    return group == ParameterGroup::kMean ? config_.warm_up.learning_rate : 0.0;
  }
  switch (group) {
    case ParameterGroup::kMean:
      return options.learning_rate * options.mean_factor;
    case ParameterGroup::kSupn:
      return options.learning_rate * options.supn_factor;
    case ParameterGroup::kGamma:
      return options.learning_rate * options.gamma_factor;
    case ParameterGroup::kCoarse:
      return options.learning_rate * options.coarse_factor;
  }
  return 0.0;
}

void Trainer::begin_stage() {
  const OptimizerConfig& options = config_.optimizer;
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups_.clear();
  for (const ParameterGroup group : {ParameterGroup::kSupn,
                                     ParameterGroup::kMean,
                                     ParameterGroup::kGamma,
                                     ParameterGroup::kCoarse}) {
    const std::vector<at::Tensor> parameters = parameters_of(*network_, group);
    const double rate = base_rate(group);
    for (at::Tensor parameter : parameters) {
      parameter.mutable_grad() = at::Tensor();
      parameter.set_requires_grad(rate > 0.0);
    }
    if (parameters.empty() || rate == 0.0) continue;
    auto adam = std::make_unique<torch::optim::AdamOptions>(rate);
    adam->betas({options.beta1, options.beta2});
    const bool decays = group == ParameterGroup::kSupn || group == ParameterGroup::kCoarse;
    adam->weight_decay(decays ? options.weight_decay : 0.0);
    groups.emplace_back(parameters, std::move(adam));
    groups_.push_back(group);
  }
  if (groups.empty()) {
    throw ConfigError(
        "training.optimizer: every learning rate of this stage is 0, nothing would be trained; set "
        "learning_rate and supn_factor (in the warm-up warm_up.learning_rate) above 0");
  }
  optimizer_ = std::make_unique<torch::optim::Adam>(std::move(groups));
  resume_training_mode();
}

void Trainer::resume_training_mode() {
  network_->train();
  if (base_rate(ParameterGroup::kMean) > 0.0) return;
  for (const auto& module : network_->modules()) {
    if (module->as<torch::nn::BatchNorm2dImpl>() != nullptr) module->eval();
  }
}

double Trainer::set_learning_rates() {
  const StageClock clock = stage_clock(progress_.finished_steps, steps_per_epoch_, config_);
  ScheduleConfig schedule = config_.schedule;
  if (stage() == Stage::kWarmUp) schedule.kind = ScheduleKind::kCosine;
  const double factor = schedule_factor(clock, schedule);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    optimizer_->param_groups()[i].options().set_lr(base_rate(groups_[i]) * factor);
  }
  return optimizer_->param_groups().front().options().get_lr();
}

void Trainer::share_steps(std::shared_ptr<const ProcessGroup> processes) {
  processes_ = std::move(processes);
  SumOverProcesses sum;
  if (!processes_->is_lone()) {
    sum = [group = processes_](at::Tensor& values) { group->sum(values); };
  }
  synchronize_batch_norm(*network_, sum);
}

StepReport Trainer::step(const Batch& batch) {
  StepReport report;
  report.stage = stage();
  report.learning_rate = set_learning_rates();
  optimizer_->zero_grad();
  const StepPrecision precision(config_.precision);
  std::optional<NonFiniteWatch> watch;
  if (detection_ == AnomalyDetection::kEveryStep) watch.emplace(*network_);
  const StepLosses losses = this->losses(batch);
  losses.total.backward();
  std::vector<at::Tensor> gradients = gradients_of(*optimizer_);
  processes_->average(gradients);
  losses.read_into(report, norm_of(gradients), *processes_);
  const std::string fault = watch ? watch->first() : "";
  watch.reset();
  if (!fault.empty() || !std::isfinite(report.loss) || !std::isfinite(report.gradient_norm)) {
    refuse(report, batch, fault);
  }
  const double limit = config_.optimizer.clip_norm;
  if (limit > 0.0 && report.gradient_norm > limit) {
    at::_foreach_mul_(gradients, limit / report.gradient_norm);
  }
  fused_step(*optimizer_);
  ++progress_.finished_steps;
  return report;
}

StepLosses Trainer::losses(const Batch& batch) {
  return stage() == Stage::kWarmUp
             ? warm_up_losses(network_, batch, config_)
             : likelihood_losses(network_, batch, config_, progress_.finished_steps);
}

void Trainer::refuse(const StepReport& report, const Batch& batch, std::string fault) {
  if (fault.empty()) {
    synchronize_batch_norm(*network_, {});  // each process looks at its own part, at its own pace
    fault = first_non_finite(*network_, batch, [&] { return losses(batch).total; });
  }
  const char* what = !std::isfinite(report.loss)            ? "the loss"
                     : !std::isfinite(report.gradient_norm) ? "the gradient"
                                                            : "a value";
  std::ostringstream message;
  message << "training: " << what << " is not finite (loss " << report.loss << ", gradient norm "
          << report.gradient_norm << ") in epoch " << progress_.finished_epochs + 1 << ", step "
          << progress_.finished_steps - progress_.finished_epochs * steps_per_epoch_ + 1 << " of "
          << steps_per_epoch_ << ", images";
  for (const std::string& name : batch.names) message << ' ' << name;
  if (!fault.empty()) message << "; the first that is not: " << fault;
  message << "; check these images' samples, lower "
          << (report.stage == Stage::kWarmUp ? "training.warm_up.learning_rate"
                                             : "training.optimizer.learning_rate")
          << " or training.optimizer.clip_norm, or raise training.schedule.ramp_up_steps; where "
             "last/ has been saved, --resume goes on from it";
  throw ConfigError(message.str());
}

void Trainer::finish_epoch() {
  const Stage finished = stage();
  ++progress_.finished_epochs;
  if (stage() != finished) begin_stage();
}

NamedTensors Trainer::named_parameters() const {
  NamedTensors parameters;
  for (const auto& item : network_->named_parameters()) parameters[item.key()] = item.value();
  return parameters;
}

NamedTensors Trainer::optimizer_state() const {
  return adam_state(*optimizer_, named_parameters());
}

void Trainer::restore(const TrainingProgress& progress, const NamedTensors& optimizer_state) {
  progress_ = progress;
  begin_stage();
  const StageClock clock = stage_clock(progress.finished_steps, steps_per_epoch_, config_);
  TORCH_CHECK(clock.step == 0 || !optimizer_state.empty(),
              "Trainer::restore: expected the optimizer's state after ",
              clock.step,
              " steps of the stage, got none");
  restore_adam_state(*optimizer_, named_parameters(), optimizer_state);
}

}  // namespace supn
