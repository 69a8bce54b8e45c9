#include "training/step/step_losses.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "supn/gaussian/class_view.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/training/factor_statistics.hpp"
#include "supn/training/losses.hpp"
#include "training/step/precision.hpp"

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

std::vector<at::Tensor> on_device(const std::vector<at::Tensor>& tensors, at::Device device) {
  std::vector<at::Tensor> moved;
  for (const at::Tensor& tensor : tensors) moved.push_back(tensor.to(device));
  return moved;
}

// The finest `scales` entries.
template <class T>
std::span<const T> finest(const std::vector<T>& per_scale, std::size_t scales) {
  TORCH_CHECK(per_scale.size() >= scales,
              "Trainer: expected predictions at ",
              scales,
              " scales, got ",
              per_scale.size());
  return std::span<const T>(per_scale).first(scales);
}

std::size_t scales_of(const SupnNetwork& network, const LossConfig& losses) {
  return static_cast<std::size_t>(losses.scales > 0 ? losses.scales : network->scales());
}

// One member alone, so that it costs little.
std::vector<at::Tensor> level_variances_of(const StructuredGaussian& gaussian,
                                           const at::Tensor& members,
                                           std::int64_t step) {
  if (gaussian.neighbourhood().is_raster()) return {};
  const at::NoGradGuard no_grad;
  const at::Tensor member = members.narrow(1, step % members.size(1), 1);
  return mean_by_level(gaussian.neighbourhood(), whiten(gaussian.detach(), member).square());
}

// The terms that look at samples, weighted, where they are asked for.
void add_matching(StepLosses& losses,
                  std::span<const StructuredGaussian> gaussians,
                  std::span<const at::Tensor> targets,
                  std::span<const std::uint64_t> seeds,
                  std::span<const at::Tensor> local_log_std,
                  const LossConfig& options) {
  if (options.std_match > 0.0) {
    losses.std_match = std_matching(local_log_std, gaussians, targets);
    losses.total = losses.total + losses.std_match * options.std_match;
  }
  if (options.energy_match > 0.0) {
    losses.energy_match =
        energy_matching(gaussians, targets, seeds, {options.energy_samples, options.energy_block});
    losses.total = losses.total + losses.energy_match * options.energy_match;
  }
  if (options.variogram_match > 0.0) {
    losses.variogram_match =
        variogram_matching(gaussians,
                           targets,
                           seeds,
                           {options.energy_samples, options.energy_block, options.variogram_lags});
    losses.total = losses.total + losses.variogram_match * options.variogram_match;
  }
}

at::Device device_of(const SupnNetwork& network) { return network->parameters().front().device(); }

}  // namespace

void StepLosses::read_into(StepReport& report,
                           const at::Tensor& gradient_norm,
                           const ProcessGroup& processes) const {
  std::vector<at::Tensor> values{total.detach(), gradient_norm.detach()};
  for (const at::Tensor& term : terms) values.push_back(term.detach());
  for (const at::Tensor& term : {std_match, energy_match, variogram_match, mean_l1, mean_phi}) {
    values.push_back(term.defined() ? term.detach() : at::zeros_like(values.front()));
  }
  values.insert(values.end(), level_variances.begin(), level_variances.end());
  for (at::Tensor& each : values) each = each.to(at::kDouble);
  const at::Tensor own = at::stack(values);
  processes.average({own});
  const at::Tensor read = own.cpu();
  // In the order in which they were put together.
  const double* value = read.const_data_ptr<double>();
  const auto next = [&] { return *value++; };
  report.loss = next();
  report.gradient_norm = next();
  for (std::size_t i = 0; i < terms.size(); ++i) report.terms.push_back(next());
  report.std_match = next();
  report.energy_match = next();
  report.variogram_match = next();
  report.mean_l1 = next();
  const double phi = next();
  for (std::size_t i = 0; i < level_variances.size(); ++i) {
    report.level_variances.push_back(next());
  }
  if (mean_phi.defined()) {
    report.residual_variance = residual_variance(phi, -report.terms.front());
  }
}

StepLosses warm_up_losses(SupnNetwork& network, const Batch& batch, const TrainingConfig& config) {
  const at::Device device = device_of(network);
  const std::vector<at::Tensor> means = at_precision(
      config.precision, device, [&] { return network->means(batch.image.to(device)); });
  const std::vector<at::Tensor> targets = on_device(batch.predictions, device);
  const std::size_t scales = scales_of(network, config.losses);
  StepLosses losses;
  losses.terms = mean_l1(finest(means, scales), finest(targets, scales));
  losses.total = at::stack(losses.terms).sum();
  return losses;
}

StepLosses likelihood_losses(SupnNetwork& network,
                             const Batch& batch,
                             const TrainingConfig& config,
                             std::int64_t step) {
  const LossConfig& options = config.losses;
  const at::Device device = device_of(network);
  const bool is_apart = options.mean == MeanLoss::kL1;
  const NetworkOutput output = at_precision(config.precision, device, [&] {
    return network->predict(batch.image.to(device),
                            is_apart ? MeanCoupling::kDetached : MeanCoupling::kJoint);
  });
  const auto seeds = noise_seeds(batch, config.seed, step);
  const std::vector<at::Tensor> members = on_device(batch.predictions, device);
  const std::vector<at::Tensor> noisy = noisy_targets(members, seeds, options.target_noise);
  const std::size_t mean_scales = scales_of(network, options);
  const std::size_t scales = std::min(mean_scales, output.gaussians.size());
  const auto gaussians = finest(output.gaussians, scales);
  const auto targets = finest(noisy, scales);
  const double bound = options.likelihood_bound > 0.0 ? options.likelihood_bound
                                                      : std::numeric_limits<double>::infinity();
  EnsembleNll nll = ensemble_nll(gaussians, targets, bound);
  StepLosses losses;
  losses.total = std::move(nll.total);
  losses.terms = std::move(nll.terms);
  losses.mean_phi = gaussians.front().log_diagonal().detach().mean();
  losses.level_variances = level_variances_of(gaussians.front(), targets.front(), step);
  if (is_apart) {
    const auto terms = mean_l1(finest(output.means, mean_scales), finest(members, mean_scales));
    losses.mean_l1 = at::stack(terms).sum();
    losses.total = losses.total + losses.mean_l1;
  }
  add_matching(losses, gaussians, targets, seeds, finest(output.local_log_std, scales), options);
  return losses;
}

}  // namespace supn
