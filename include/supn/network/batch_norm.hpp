// Batch norm whose statistics may span several processes that train one network together, each with
// its part of every batch: N processes of b/N images then compute what one of b images does.
//
//   x̂ = (x − mean)/√(var + ε),  y = γ·x̂ + β        mean, var over images, rows, columns, processes
//   ∂x = γ/√(var + ε)·(g − mean g − x̂·mean(g·x̂))    the means again over all processes
//
// ∂γ and ∂β are of the process's own images, like every other parameter's gradient.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/pimpl.h>

#include <functional>
#include <utility>

namespace supn {

// Replaces a float64 tensor by its sum over all processes, each of which calls it equally often.
using SumOverProcesses = std::function<void(at::Tensor&)>;

// torch::nn::BatchNorm2d, by the same names, until it is synchronised.
class SynchronizedBatchNorm2dImpl : public torch::nn::BatchNorm2dImpl {
 public:
  using torch::nn::BatchNorm2dImpl::BatchNorm2dImpl;

  // x [B,C,H,W]; B > 0 may differ between the processes.
  at::Tensor forward(const at::Tensor& x);
  // Empty: the process's own statistics, as at the beginning. In evaluation mode nothing is summed.
  void synchronize(SumOverProcesses sum) { sum_ = std::move(sum); }
  // For inference alone, in evaluation mode: W ← W·γ/√(var + ε), b ← β + (b − mean)·γ/√(var + ε) of
  // the convolution whose result this one normalises, in float64; what comes in then goes out.
  void fold_into(torch::nn::Conv2dImpl& convolution);

 private:
  SumOverProcesses sum_;
  enum class Part { kOwn, kFolded } part_ = Part::kOwn;
};
TORCH_MODULE(SynchronizedBatchNorm2d);

// All batch norms of the network.
void synchronize_batch_norm(torch::nn::Module& network, const SumOverProcesses& sum);

}  // namespace supn
