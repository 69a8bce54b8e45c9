#include "training/step/non_finite.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string_view>

namespace supn {
namespace {

// The watch is that of the whole process: the callbacks follow a backward pass into autograd's
// threads for GPUs.
std::atomic<NonFiniteWatch*> g_watch = nullptr;

// Results that are memory without values yet, or another operation's values again.
constexpr std::array<std::string_view, 8> kWithoutOwnValues = {
    "empty", "resize", "view", "as_strided", "detach", "expand", "slice", "aten::t"};

bool has_own_values(std::string_view operation) {
  return std::none_of(
      kWithoutOwnValues.begin(), kWithoutOwnValues.end(), [&](std::string_view name) {
        return name.starts_with("aten::") ? operation == name
                                          : operation.find(name) != std::string_view::npos;
      });
}

bool is_finite(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_floating_point() || tensor.numel() == 0) return true;
  return at::isfinite(tensor.detach()).all().item<bool>();
}

// Cuts off the parameter's own name at the end.
std::string layer_of(const std::string& parameter) {
  return parameter.substr(0, parameter.rfind('.'));
}

std::unique_ptr<at::ObserverContext> on_enter(const at::RecordFunction& function) {
  if (NonFiniteWatch* watch = g_watch) watch->enter(function);
  return nullptr;
}

void on_leave(const at::RecordFunction& function, at::ObserverContext*) {
  if (NonFiniteWatch* watch = g_watch) watch->leave(function);
}

std::string fault_of_batch(const Batch& batch) {
  for (std::size_t b = 0; b < batch.names.size(); ++b) {
    const auto index = static_cast<std::int64_t>(b);
    if (!is_finite(batch.image[index])) return "the pixels of image " + batch.names[b];
    for (std::size_t scale = 0; scale < batch.predictions.size(); ++scale) {
      if (is_finite(batch.predictions[scale][index])) continue;
      return "the members' maps of image " + batch.names[b] + " at scale " + std::to_string(scale);
    }
  }
  return "";
}

}  // namespace

NonFiniteWatch::NonFiniteWatch(const SupnNetworkImpl& network) {
  for (const auto& item : network.named_parameters()) {
    layers_[item.value().storage().data()] = layer_of(item.key());
  }
  g_watch = this;
  callback_ = at::addThreadLocalCallback(
      at::RecordFunctionCallback(on_enter, on_leave)
          .needsInputs(true)
          .needsOutputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

NonFiniteWatch::~NonFiniteWatch() {
  at::removeCallback(callback_);
  g_watch = nullptr;
}

void NonFiniteWatch::enter(const at::RecordFunction& function) {
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    backward_ = true;
  } else {
    ++depth_;
  }
  for (const c10::IValue& input : function.inputs()) {
    if (!input.isTensor() || !input.toTensor().defined() || !input.toTensor().has_storage()) {
      continue;
    }
    const auto found = layers_.find(input.toTensor().storage().data());
    if (found != layers_.end()) layer_ = found->second;
  }
}

void NonFiniteWatch::leave(const at::RecordFunction& function) {
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION || --depth_ > 0) return;
  if (!first_.empty() || !has_own_values(function.name())) return;
  // The operations that examine the results here must not be watched themselves.
  const at::DisableRecordFunctionGuard unwatched;
  const at::NoGradGuard no_grad;
  for (const c10::IValue& result : function.outputs()) note(result, function.name());
}

void NonFiniteWatch::note(const c10::IValue& result, const char* operation) {
  bool finite = true;
  if (result.isTensor()) finite = is_finite(result.toTensor());
  if (result.isTensorList()) {
    for (const at::Tensor& tensor : result.toTensorVector()) finite = finite && is_finite(tensor);
  }
  if (finite || !first_.empty()) return;
  first_ = std::string(operation) + " in the " + (backward_ ? "backward" : "forward") + " pass";
  if (!layer_.empty()) first_ += ", at or after layer " + layer_;
}

std::string first_non_finite(const SupnNetworkImpl& network,
                             const Batch& batch,
                             const std::function<at::Tensor()>& loss) {
  std::string fault = fault_of_batch(batch);
  if (!fault.empty()) return fault;
  for (const auto& [name, tensor] : state_of(network)) {
    if (!is_finite(tensor)) return "the weight " + name;
  }
  {
    const NonFiniteWatch watch(network);
    loss().backward();
    fault = watch.first();
  }
  if (!fault.empty()) return fault;
  for (const auto& item : network.named_parameters()) {
    if (!is_finite(item.value().grad())) fault = "the gradient of " + item.key();
  }
  return fault;
}

}  // namespace supn
