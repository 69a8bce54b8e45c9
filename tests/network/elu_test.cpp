#include "network/elu.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <limits>

namespace supn {
namespace {

TEST(Elu, IsWithinRoundingOfFloat64) {
  const at::NoGradGuard no_grad;
  const FastElu fast;
  const at::Tensor x = at::linspace(-90.0, 20.0, 70001, at::kFloat);  // no whole vectors

  const at::Tensor y = elu_in_place(x.clone());

  const at::Tensor exact = at::elu(x.to(at::kDouble));
  EXPECT_LT((y - exact).abs().max().item<double>(), 2e-7);
  EXPECT_TRUE(y.masked_select(x.gt(0)).equal(x.masked_select(x.gt(0))));
}

TEST(Elu, TakesNumbersThatAreNotFinite) {
  const at::NoGradGuard no_grad;
  const FastElu fast;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const at::Tensor y = elu_in_place(at::tensor({-kInfinity, kInfinity, std::nanf("")}));

  EXPECT_EQ(y[0].item<float>(), -1.0F);
  EXPECT_EQ(y[1].item<float>(), kInfinity);
  EXPECT_TRUE(y[2].isnan().item<bool>());
}

TEST(Elu, ChangesItsArgumentWhateverItsLayout) {
  const at::NoGradGuard no_grad;
  const FastElu fast;
  const at::Tensor whole = at::randn({2, 3, 5, 8});
  const at::Tensor expected = at::elu(whole);
  const at::Tensor channels_last = whole.clone(at::MemoryFormat::ChannelsLast);
  const at::Tensor in_part = whole.clone();

  elu_in_place(channels_last);
  elu_in_place(in_part.slice(3, 0, 8, 2));

  EXPECT_TRUE(channels_last.allclose(expected, 0.0, 2e-7));
  EXPECT_TRUE(in_part.slice(3, 0, 8, 2).allclose(expected.slice(3, 0, 8, 2), 0.0, 2e-7));
  EXPECT_TRUE(in_part.slice(3, 1, 8, 2).equal(whole.slice(3, 1, 8, 2)));
}

TEST(Elu, IsATensBitForBitUnlessItIsToBeFast) {
  const at::NoGradGuard no_grad;
  const at::Tensor x = at::randn({1001});
  { const FastElu fast; }

  EXPECT_TRUE(elu_in_place(x.clone()).equal(at::elu(x)));
}

TEST(Elu, KeepsGradientsWhereTheyAreRecorded) {
  const FastElu fast;
  const at::Tensor x = at::randn({100}).requires_grad_(true);

  elu_in_place(x * 2.0).sum().backward();

  const at::Tensor expected = 2.0 * (2.0 * x.detach()).clamp_max(0.0).exp();
  EXPECT_TRUE(x.grad().allclose(expected, 1e-5, 1e-6));
}

}  // namespace
}  // namespace supn
