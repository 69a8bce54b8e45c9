#include "supn/training/trainer.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/optim/adam.h>

#include <cmath>
#include <sstream>
#include <utility>

#include "adam_state.hpp"
#include "supn/errors.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/training/losses.hpp"

namespace supn {
namespace {

constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ULL;

std::vector<std::uint64_t> noise_seeds(const Batch& batch, std::int64_t seed, std::int64_t step) {
  const std::uint64_t of_step =
      static_cast<std::uint64_t>(seed) ^ (static_cast<std::uint64_t>(step + 1) * kGoldenRatio);
  std::vector<std::uint64_t> seeds;
  for (const std::string& name : batch.names) seeds.push_back(image_seed(of_step, name));
  return seeds;
}

std::vector<at::Tensor> gradients_of(const torch::optim::Adam& optimizer) {
  std::vector<at::Tensor> gradients;
  for (const auto& group : optimizer.param_groups()) {
    for (const at::Tensor& parameter : group.params()) {
      if (parameter.grad().defined()) gradients.push_back(parameter.grad());
    }
  }
  return gradients;
}

std::vector<at::Tensor> on_device(const std::vector<at::Tensor>& tensors, at::Device device) {
  std::vector<at::Tensor> moved;
  for (const at::Tensor& tensor : tensors) moved.push_back(tensor.to(device));
  return moved;
}

at::Tensor norm_of(const std::vector<at::Tensor>& gradients) {
  return at::stack(at::_foreach_norm(gradients)).norm();
}

void check_losses(const SupnNetworkImpl& network, const LossConfig& losses) {
  const NetworkConfig& config = network.config();
  const bool has_local_std =
      config.off_diagonal == OffDiagonalForm::kFactored && config.neighbourhood_radius == 2;
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

struct Trainer::Losses {
  at::Tensor total;
  std::vector<at::Tensor> terms;
  at::Tensor std_match;     // undefined where not asked for
  at::Tensor energy_match;  // undefined where not asked for

  // Reads everything from the device at once.
  void read_into(StepReport& report, const at::Tensor& gradient_norm) const {
    std::vector<at::Tensor> values{total.detach(), gradient_norm.detach()};
    for (const at::Tensor& term : terms) values.push_back(term.detach());
    for (const at::Tensor& term : {std_match, energy_match}) {
      values.push_back(term.defined() ? term.detach() : at::zeros_like(values.front()));
    }
    for (at::Tensor& value : values) value = value.to(at::kDouble);
    const at::Tensor read = at::stack(values).cpu();
    const auto value = [&](std::size_t i) {
      return read[static_cast<std::int64_t>(i)].item<double>();
    };
    report.loss = value(0);
    report.gradient_norm = value(1);
    for (std::size_t i = 0; i < terms.size(); ++i) report.terms.push_back(value(2 + i));
    report.std_match = value(2 + terms.size());
    report.energy_match = value(3 + terms.size());
  }
};

Trainer::Trainer(SupnNetwork network, const TrainingConfig& config, std::int64_t steps_per_epoch)
    : network_(std::move(network)),
      device_(network_->parameters().front().device()),
      config_(config),
      steps_per_epoch_(steps_per_epoch) {
  TORCH_CHECK(
      steps_per_epoch >= 1, "Trainer: expected at least one step per epoch, got ", steps_per_epoch);
  check_losses(*network_, config_.losses);
  begin_stage();
}

Trainer::~Trainer() = default;

template <class T>
void Trainer::keep_scales(std::vector<T>& per_scale) const {
  const auto wanted = static_cast<std::size_t>(config_.losses.scales > 0 ? config_.losses.scales
                                                                         : network_->scales());
  TORCH_CHECK(per_scale.size() >= wanted,
              "Trainer: expected predictions at ",
              wanted,
              " scales, got ",
              per_scale.size());
  per_scale.erase(per_scale.begin() + static_cast<std::ptrdiff_t>(wanted), per_scale.end());
}

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
  }
  return 0.0;
}

void Trainer::begin_stage() {
  const OptimizerConfig& options = config_.optimizer;
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups_.clear();
  for (const ParameterGroup group :
       {ParameterGroup::kSupn, ParameterGroup::kMean, ParameterGroup::kGamma}) {
    const std::vector<at::Tensor> parameters = parameters_of(*network_, group);
    const double rate = base_rate(group);
    for (at::Tensor parameter : parameters) {
      parameter.mutable_grad() = at::Tensor();
      parameter.set_requires_grad(rate > 0.0);
    }
    if (parameters.empty() || rate == 0.0) continue;
    auto adam = std::make_unique<torch::optim::AdamOptions>(rate);
    adam->betas({options.beta1, options.beta2});
    adam->weight_decay(group == ParameterGroup::kSupn ? options.weight_decay : 0.0);
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

StepReport Trainer::step(const Batch& batch) {
  StepReport report;
  report.stage = stage();
  report.learning_rate = set_learning_rates();
  optimizer_->zero_grad();
  const Losses losses =
      report.stage == Stage::kWarmUp ? warm_up_losses(batch) : likelihood_losses(batch);
  losses.total.backward();
  std::vector<at::Tensor> gradients = gradients_of(*optimizer_);
  losses.read_into(report, norm_of(gradients));
  refuse_non_finite(report, batch);
  const double limit = config_.optimizer.clip_norm;
  if (limit > 0.0 && report.gradient_norm > limit) {
    at::_foreach_mul_(gradients, limit / report.gradient_norm);
  }
  optimizer_->step();
  ++progress_.finished_steps;
  return report;
}

Trainer::Losses Trainer::warm_up_losses(const Batch& batch) {
  std::vector<at::Tensor> means = network_->means(batch.image.to(device_));
  std::vector<at::Tensor> targets = on_device(batch.predictions, device_);
  keep_scales(means);
  keep_scales(targets);
  Losses losses;
  losses.terms = mean_l1(means, targets);
  losses.total = at::stack(losses.terms).sum();
  return losses;
}

Trainer::Losses Trainer::likelihood_losses(const Batch& batch) {
  const LossConfig& options = config_.losses;
  NetworkOutput output = network_->predict(batch.image.to(device_));
  const auto seeds = noise_seeds(batch, config_.seed, progress_.finished_steps);
  std::vector<at::Tensor> targets =
      noisy_targets(on_device(batch.predictions, device_), seeds, options.target_noise);
  keep_scales(output.gaussians);
  keep_scales(targets);
  EnsembleNll nll = ensemble_nll(output.gaussians, targets);
  Losses losses{std::move(nll.total), std::move(nll.terms), {}, {}};
  if (options.std_match > 0.0) {
    keep_scales(output.local_log_std);
    losses.std_match = std_matching(output.local_log_std, output.gaussians, targets);
    losses.total = losses.total + losses.std_match * options.std_match;
  }
  if (options.energy_match > 0.0) {
    losses.energy_match = energy_matching(
        output.gaussians, targets, seeds, {options.energy_samples, options.energy_block});
    losses.total = losses.total + losses.energy_match * options.energy_match;
  }
  return losses;
}

void Trainer::refuse_non_finite(const StepReport& report, const Batch& batch) const {
  if (std::isfinite(report.loss) && std::isfinite(report.gradient_norm)) return;
  std::ostringstream message;
  message << "training: the " << (std::isfinite(report.loss) ? "gradient" : "loss")
          << " is not finite (loss " << report.loss << ", gradient norm " << report.gradient_norm
          << ") in epoch " << progress_.finished_epochs + 1 << ", step "
          << progress_.finished_steps % steps_per_epoch_ + 1 << " of " << steps_per_epoch_
          << ", images";
  for (const std::string& name : batch.names) message << ' ' << name;
  message << "; check these images' samples, lower training.optimizer.learning_rate or clip_norm, "
             "or raise schedule.ramp_up_steps, and go on from the last epoch with --resume";
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
  restore_adam_state(*optimizer_, named_parameters(), optimizer_state);
}

}  // namespace supn
