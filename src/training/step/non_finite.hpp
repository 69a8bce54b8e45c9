// A watch finds where the first value that is not finite comes from.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <functional>
#include <map>
#include <string>

#include "supn/data/batch.hpp"
#include "supn/network/supn_network.hpp"

namespace supn {

// Looks at what every operation of this thread gives, forward and backward, for as long as it
// lives; it costs a pass over every result. What operations are made of is not looked at: they hand
// memory around that holds no values yet. One at a time in a thread.
class NonFiniteWatch {
 public:
  explicit NonFiniteWatch(const SupnNetworkImpl& network);
  ~NonFiniteWatch();
  NonFiniteWatch(const NonFiniteWatch&) = delete;
  NonFiniteWatch& operator=(const NonFiniteWatch&) = delete;

  // "aten::exp in the forward pass, at or after layer supn.block.0.diag"; empty if there is none.
  const std::string& first() const { return first_; }

  // The callbacks call these.
  void enter(const at::RecordFunction& function);
  void leave(const at::RecordFunction& function);

 private:
  void note(const c10::IValue& result, const char* operation);

  std::map<const void*, std::string> layers_;  // by the memory of their parameters
  std::string layer_;                          // the last one whose parameters were used
  std::string first_;
  bool backward_ = false;
  int depth_ = 0;  // of operations within operations
  at::CallbackHandle callback_;
};

// The first place of these that holds a value that is not finite, in words: the batch's images and
// maps, the network's weights, an operation of the loss or of its gradient. Empty if there is none.
// Adds to the gradients, and to the running statistics of batch norm.
std::string first_non_finite(const SupnNetworkImpl& network,
                             const Batch& batch,
                             const std::function<at::Tensor()>& loss);

}  // namespace supn
