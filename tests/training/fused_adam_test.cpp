#include "training/step/fused_adam.hpp"

#include <ATen/Context.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <vector>

namespace supn {
namespace {

std::vector<at::Tensor> made_up_parameters() {
  at::manual_seed(3);
  std::vector<at::Tensor> parameters;
  const std::vector<std::vector<std::int64_t>> shapes{{5, 3, 3, 3}, {17}, {2, 2}};
  for (const auto& shape : shapes) {
    parameters.push_back(at::randn(shape).set_requires_grad(true));
  }
  return parameters;
}

torch::optim::Adam optimizer_of(const std::vector<at::Tensor>& parameters) {
  torch::optim::AdamOptions options(1e-2);
  options.betas({0.8, 0.95});
  options.weight_decay(0.1);
  return torch::optim::Adam(parameters, options);
}

TEST(FusedAdam, StepsAsTheOptimizerItself) {
  const std::vector<at::Tensor> fused = made_up_parameters();
  const std::vector<at::Tensor> plain = made_up_parameters();
  torch::optim::Adam fused_adam = optimizer_of(fused);
  torch::optim::Adam plain_adam = optimizer_of(plain);
  for (int step = 0; step < 5; ++step) {
    // The last one has no gradient at first: it is left alone, and starts later than the others.
    for (std::size_t i = 0; i < fused.size() - (step < 2 ? 1 : 0); ++i) {
      const at::Tensor gradient = at::randn(fused[i].sizes());
      fused[i].mutable_grad() = gradient.clone();
      plain[i].mutable_grad() = gradient.clone();
    }
    fused_step(fused_adam);
    plain_adam.step();
  }
  for (std::size_t i = 0; i < fused.size(); ++i) {
    EXPECT_TRUE(at::allclose(fused[i], plain[i], 1e-5, 1e-6)) << i;
    EXPECT_FALSE(at::allclose(fused[i], made_up_parameters()[i], 1e-3, 1e-3)) << i;
  }
  const auto& state = static_cast<const torch::optim::AdamParamState&>(
      *fused_adam.state().at(fused[2].unsafeGetTensorImpl()));
  EXPECT_EQ(state.step(), 3);
}

TEST(FusedAdam, RefusesAMSGrad) {
  at::Tensor parameter = at::randn({3}).set_requires_grad(true);
  parameter.mutable_grad() = at::randn({3});
  torch::optim::Adam adam(std::vector<at::Tensor>{parameter},
                          torch::optim::AdamOptions(1e-3).amsgrad(true));
  EXPECT_THROW(fused_step(adam), c10::Error);
}

}  // namespace
}  // namespace supn
