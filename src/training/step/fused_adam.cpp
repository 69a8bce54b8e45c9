#include "training/step/fused_adam.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>

#include <memory>
#include <vector>

namespace supn {
namespace {

using torch::optim::AdamOptions;
using torch::optim::AdamParamState;

AdamParamState& state_of(torch::optim::Adam& adam, const at::Tensor& parameter) {
  auto& state = adam.state()[parameter.unsafeGetTensorImpl()];
  if (state == nullptr) {
    auto fresh = std::make_unique<AdamParamState>();
    fresh->step(0);
    fresh->exp_avg(at::zeros_like(parameter));
    fresh->exp_avg_sq(at::zeros_like(parameter));
    state = std::move(fresh);
  }
  return static_cast<AdamParamState&>(*state);
}

}  // namespace

void fused_step(torch::optim::Adam& adam) {
  const at::NoGradGuard no_grad;
  for (auto& group : adam.param_groups()) {
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> gradients;
    std::vector<at::Tensor> means;
    std::vector<at::Tensor> squares;
    std::vector<at::Tensor> steps;
    for (const at::Tensor& parameter : group.params()) {
      if (!parameter.grad().defined()) continue;
      AdamParamState& state = state_of(adam, parameter);
      state.step(state.step() + 1);
      parameters.push_back(parameter);
      gradients.push_back(parameter.grad());
      means.push_back(state.exp_avg());
      squares.push_back(state.exp_avg_sq());
      steps.push_back(at::full({}, state.step(), parameter.options().dtype(at::kFloat)));
    }
    if (parameters.empty()) continue;
    const auto& options = static_cast<const AdamOptions&>(group.options());
    TORCH_CHECK(!options.amsgrad(), "fused_step: AMSGrad is not supported; take Adam's own step()");
    const auto [beta1, beta2] = options.betas();
    at::_fused_adam_(parameters,
                     gradients,
                     means,
                     squares,
                     /*max_exp_avg_sqs=*/{},
                     steps,
                     options.lr(),
                     beta1,
                     beta2,
                     options.weight_decay(),
                     options.eps(),
                     /*amsgrad=*/false,
                     /*maximize=*/false);
  }
}

}  // namespace supn
