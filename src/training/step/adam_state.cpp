#include "training/step/adam_state.hpp"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/scalar_tensor.h>

#include <memory>
#include <utility>

namespace supn {
namespace {

using torch::optim::AdamParamState;

at::Tensor stored(const NamedTensors& state, const std::string& name) {
  const auto found = state.find(name);
  TORCH_CHECK(
      found != state.end(), "restore_adam_state: expected the tensor ", name, ", found none");
  return found->second;
}

at::Tensor moment(const NamedTensors& state, const std::string& name, const at::Tensor& parameter) {
  const at::Tensor tensor = stored(state, name);
  TORCH_CHECK(tensor.sizes() == parameter.sizes(),
              "restore_adam_state: expected ",
              name,
              " of shape ",
              parameter.sizes(),
              ", got ",
              tensor.sizes());
  // The copy has the parameter's own layout, as the optimizer's one pass over all of them wants it.
  return at::empty_like(parameter.detach()).copy_(tensor);
}

}  // namespace

NamedTensors adam_state(const torch::optim::Adam& adam, const NamedTensors& parameters) {
  NamedTensors state;
  for (const auto& [name, parameter] : parameters) {
    const auto found = adam.state().find(parameter.unsafeGetTensorImpl());
    if (found == adam.state().end()) continue;
    const auto& own = static_cast<const AdamParamState&>(*found->second);
    state[name + ".exp_avg"] = own.exp_avg().cpu().clone();
    state[name + ".exp_avg_sq"] = own.exp_avg_sq().cpu().clone();
    state[name + ".step"] = at::scalar_tensor(own.step(), at::kLong);
  }
  return state;
}

void restore_adam_state(torch::optim::Adam& adam,
                        const NamedTensors& parameters,
                        const NamedTensors& state) {
  for (const auto& [name, parameter] : parameters) {
    const bool is_new = !state.contains(name + ".step") && !state.contains(name + ".exp_avg") &&
                        !state.contains(name + ".exp_avg_sq");
    if (is_new) continue;
    auto own = std::make_unique<AdamParamState>();
    own->step(stored(state, name + ".step").item<std::int64_t>());
    own->exp_avg(moment(state, name + ".exp_avg", parameter));
    own->exp_avg_sq(moment(state, name + ".exp_avg_sq", parameter));
    adam.state()[parameter.unsafeGetTensorImpl()] = std::move(own);
  }
}

}  // namespace supn
