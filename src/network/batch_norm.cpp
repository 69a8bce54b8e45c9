#include "supn/network/batch_norm.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

namespace supn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// Autograd keeps this for the backward pass.
struct Summation : torch::CustomClassHolder {
  explicit Summation(SumOverProcesses given) : sum(std::move(given)) {}
  SumOverProcesses sum;
};

// These cover all processes, in float64.
struct BatchStatistics {
  at::Tensor mean;      // [C]
  at::Tensor variance;  // [C], biased
  at::Tensor count;     // [1], values per channel
};

at::Tensor per_channel(const at::Tensor& values, const at::Tensor& like) {
  return values.to(like.scalar_type()).view({1, -1, 1, 1});
}

at::Tensor sum_per_channel(const at::Tensor& values) {
  return values.sum({0, 2, 3}, /*keepdim=*/false, at::kDouble);
}

// The variance around the common mean, in a second sum: a difference of squares would cancel.
BatchStatistics statistics_of(const at::Tensor& x, const SumOverProcesses& sum) {
  const at::NoGradGuard no_grad;
  const std::int64_t channels = x.size(1);
  at::Tensor totals = sum_per_channel(x);
  totals = at::cat({totals, at::full({1}, x.numel() / channels, totals.options())});
  sum(totals);
  BatchStatistics statistics;
  statistics.count = totals.narrow(0, channels, 1);
  statistics.mean = totals.narrow(0, 0, channels) / statistics.count;
  at::Tensor squares = sum_per_channel((x - per_channel(statistics.mean, x)).square_());
  sum(squares);
  statistics.variance = squares / statistics.count;
  return statistics;
}

struct Normalisation : public Function<Normalisation> {
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& x,
                            const at::Tensor& weight,
                            const at::Tensor& bias,
                            const BatchStatistics& statistics,
                            double epsilon,
                            const SumOverProcesses& sum) {
    const at::Tensor inverse_std = (statistics.variance + epsilon).rsqrt();
    context->save_for_backward({x, weight, statistics.mean, inverse_std, statistics.count});
    context->saved_data["sum"] = c10::IValue::make_capsule(c10::make_intrusive<Summation>(sum));
    const at::Tensor scale = inverse_std * weight;
    const at::Tensor shift = bias - statistics.mean * scale;
    return at::addcmul(per_channel(shift, x), x, per_channel(scale, x));
  }

  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& weight = saved[1];
    const at::Tensor& inverse_std = saved[3];
    const at::Tensor& gradient = outer[0];
    const at::Tensor normalised = (x - per_channel(saved[2], x)).mul_(per_channel(inverse_std, x));
    const at::Tensor of_bias = sum_per_channel(gradient);
    const at::Tensor of_weight = sum_per_channel(gradient * normalised);
    at::Tensor means = at::stack({of_bias, of_weight});
    c10::static_intrusive_pointer_cast<Summation>(context->saved_data["sum"].toCapsule())
        ->sum(means);
    means = means / saved[4];
    const at::Tensor of_x = (gradient - per_channel(means[0], x))
                                .sub_(normalised.mul_(per_channel(means[1], x)))
                                .mul_(per_channel(inverse_std * weight, x));
    return {of_x,
            of_weight.to(weight.scalar_type()),
            of_bias.to(weight.scalar_type()),
            at::Tensor(),
            at::Tensor(),
            at::Tensor()};
  }
};

}  // namespace

at::Tensor SynchronizedBatchNorm2dImpl::forward(const at::Tensor& x) {
  if (part_ == Part::kFolded) return x;
  if (!sum_ || !is_training()) return torch::nn::BatchNorm2dImpl::forward(x);
  if (x.scalar_type() == at::kBFloat16) return forward(x.to(at::kFloat)).to(at::kBFloat16);
  const BatchStatistics statistics = statistics_of(x, sum_);
  {
    const at::NoGradGuard no_grad;
    const double momentum = options.momentum().value_or(0.1);
    const at::Tensor unbiased =
        statistics.variance * statistics.count / (statistics.count - 1.0).clamp_min(1.0);
    num_batches_tracked.add_(1);
    running_mean.mul_(1.0 - momentum).add_(statistics.mean * momentum);
    running_var.mul_(1.0 - momentum).add_(unbiased * momentum);
  }
  return Normalisation::apply(x, weight, bias, statistics, options.eps(), sum_);
}

void SynchronizedBatchNorm2dImpl::fold_into(torch::nn::Conv2dImpl& convolution) {
  TORCH_CHECK(!is_training() && part_ == Part::kOwn,
              "SynchronizedBatchNorm2d::fold_into: expected one in evaluation mode, once");
  const at::NoGradGuard no_grad;
  const at::Tensor scale =
      weight.to(at::kDouble) * (running_var.to(at::kDouble) + options.eps()).rsqrt();
  at::Tensor shift = -running_mean.to(at::kDouble);
  if (convolution.bias.defined()) shift += convolution.bias;
  const at::Tensor weights = convolution.weight * scale.view({-1, 1, 1, 1});
  convolution.bias = (bias + shift * scale).to(weight.scalar_type());
  convolution.weight.set_data(weights.to(weight.scalar_type()));
  part_ = Part::kFolded;
}

void synchronize_batch_norm(torch::nn::Module& network, const SumOverProcesses& sum) {
  for (const auto& module : network.modules()) {
    if (auto* norm = module->as<SynchronizedBatchNorm2dImpl>()) norm->synchronize(sum);
  }
}

}  // namespace supn
