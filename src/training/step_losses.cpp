#include "step_losses.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include <limits>
#include <string>
#include <utility>

#include "supn/gaussian/noise.hpp"
#include "supn/training/factor_statistics.hpp"
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

std::vector<at::Tensor> on_device(const std::vector<at::Tensor>& tensors, at::Device device) {
  std::vector<at::Tensor> moved;
  for (const at::Tensor& tensor : tensors) moved.push_back(tensor.to(device));
  return moved;
}

// The finest `wanted` entries are left, all for 0.
template <class T>
void keep_scales(std::vector<T>& per_scale, const SupnNetwork& network, std::int64_t wanted) {
  const auto scales = static_cast<std::size_t>(wanted > 0 ? wanted : network->scales());
  TORCH_CHECK(per_scale.size() >= scales,
              "Trainer: expected predictions at ",
              scales,
              " scales, got ",
              per_scale.size());
  per_scale.erase(per_scale.begin() + static_cast<std::ptrdiff_t>(scales), per_scale.end());
}

at::Device device_of(const SupnNetwork& network) { return network->parameters().front().device(); }

}  // namespace

void StepLosses::read_into(StepReport& report,
                           const at::Tensor& gradient_norm,
                           const ProcessGroup& processes) const {
  std::vector<at::Tensor> values{total.detach(), gradient_norm.detach()};
  for (const at::Tensor& term : terms) values.push_back(term.detach());
  for (const at::Tensor& term : {std_match, energy_match, variogram_match, mean_phi}) {
    values.push_back(term.defined() ? term.detach() : at::zeros_like(values.front()));
  }
  for (at::Tensor& value : values) value = value.to(at::kDouble);
  const at::Tensor own = at::stack(values);
  processes.average({own});
  const at::Tensor read = own.cpu();
  const auto value = [&](std::size_t i) {
    return read[static_cast<std::int64_t>(i)].item<double>();
  };
  report.loss = value(0);
  report.gradient_norm = value(1);
  for (std::size_t i = 0; i < terms.size(); ++i) report.terms.push_back(value(2 + i));
  report.std_match = value(2 + terms.size());
  report.energy_match = value(3 + terms.size());
  report.variogram_match = value(4 + terms.size());
  if (!mean_phi.defined()) return;
  report.residual_variance = residual_variance(value(5 + terms.size()), -report.terms.front());
}

StepLosses warm_up_losses(SupnNetwork& network, const Batch& batch, const TrainingConfig& config) {
  const at::Device device = device_of(network);
  std::vector<at::Tensor> means = network->means(batch.image.to(device));
  std::vector<at::Tensor> targets = on_device(batch.predictions, device);
  keep_scales(means, network, config.losses.scales);
  keep_scales(targets, network, config.losses.scales);
  StepLosses losses;
  losses.terms = mean_l1(means, targets);
  losses.total = at::stack(losses.terms).sum();
  return losses;
}

StepLosses likelihood_losses(SupnNetwork& network,
                             const Batch& batch,
                             const TrainingConfig& config,
                             std::int64_t step) {
  const LossConfig& options = config.losses;
  const at::Device device = device_of(network);
  NetworkOutput output = network->predict(batch.image.to(device));
  const auto seeds = noise_seeds(batch, config.seed, step);
  std::vector<at::Tensor> targets =
      noisy_targets(on_device(batch.predictions, device), seeds, options.target_noise);
  keep_scales(output.gaussians, network, options.scales);
  keep_scales(targets, network, options.scales);
  const double bound = options.likelihood_bound > 0.0 ? options.likelihood_bound
                                                      : std::numeric_limits<double>::infinity();
  EnsembleNll nll = ensemble_nll(output.gaussians, targets, bound);
  StepLosses losses{.total = std::move(nll.total),
                    .terms = std::move(nll.terms),
                    .std_match = {},
                    .energy_match = {},
                    .variogram_match = {},
                    .mean_phi = output.gaussians.front().log_diagonal().detach().mean()};
  if (options.std_match > 0.0) {
    keep_scales(output.local_log_std, network, options.scales);
    losses.std_match = std_matching(output.local_log_std, output.gaussians, targets);
    losses.total = losses.total + losses.std_match * options.std_match;
  }
  if (options.energy_match > 0.0) {
    losses.energy_match = energy_matching(
        output.gaussians, targets, seeds, {options.energy_samples, options.energy_block});
    losses.total = losses.total + losses.energy_match * options.energy_match;
  }
  if (options.variogram_match > 0.0) {
    losses.variogram_match =
        variogram_matching(output.gaussians,
                           targets,
                           seeds,
                           {options.energy_samples, options.energy_block, options.variogram_lags});
    losses.total = losses.total + losses.variogram_match * options.variogram_match;
  }
  return losses;
}

}  // namespace supn
