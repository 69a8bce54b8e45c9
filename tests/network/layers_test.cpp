#include "supn/network/layers.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/reflection_pad2d.h>
#include <gtest/gtest.h>

#include <array>

namespace supn {
namespace {

const at::TensorOptions kDoubles(at::kDouble);

// Parameters first, then the input.
struct LayerGradients {
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor x;
};

LayerGradients backward_of(const at::Tensor& y, ReflectConvElu& layer, const at::Tensor& x) {
  layer.zero_grad();
  x.mutable_grad() = at::Tensor();
  y.sin().sum().backward();
  const auto gradient = [&](const char* name) {
    return layer.named_parameters()[name].grad().clone();
  };
  return {gradient("conv.conv.weight"), gradient("conv.conv.bias"), x.grad().clone()};
}

void expect_close(const at::Tensor& a, const at::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  EXPECT_TRUE(a.allclose(b, 1e-12, 1e-12));
}

// PyTorch's own operations on the joined maps, and their derivatives by autograd.
TEST(ReflectConvElu, TakesCommonMapsAsFurtherChannels) {
  at::manual_seed(5);
  ReflectConvElu layer(5, 4);
  layer.to(at::kDouble);
  const at::Tensor x = at::randn({3, 3, 6, 7}, kDoubles).set_requires_grad(true);
  const at::Tensor common = at::randn({1, 2, 6, 7}, kDoubles);
  const auto parameters = layer.named_parameters();
  const at::Tensor joined = at::cat({x, common.expand({3, 2, 6, 7})}, 1);

  const at::Tensor expected =
      at::elu(at::conv2d(at::reflection_pad2d(joined, std::array<std::int64_t, 4>{1, 1, 1, 1}),
                         parameters["conv.conv.weight"],
                         parameters["conv.conv.bias"]));
  const at::Tensor y = layer.forward(x, common);

  expect_close(y, expected);
  const LayerGradients gradients = backward_of(y, layer, x);
  const LayerGradients wanted = backward_of(expected, layer, x);
  expect_close(gradients.weight, wanted.weight);
  expect_close(gradients.bias, wanted.bias);
  expect_close(gradients.x, wanted.x);
  const at::NoGradGuard no_grad;
  expect_close(layer.forward(x, common), expected);
}

TEST(CoordinateMaps, RunFromMinusOneToOneOnceForAllImages) {
  const at::Tensor maps = coordinate_maps(at::randn({3, 2, 4, 6}));

  ASSERT_EQ(maps.sizes(), at::IntArrayRef({1, 2, 4, 6}));
  EXPECT_FLOAT_EQ(maps[0][0][2][0].item<float>(), -1.0F);
  EXPECT_FLOAT_EQ(maps[0][0][2][1].item<float>(), -0.6F);
  EXPECT_FLOAT_EQ(maps[0][0][3][5].item<float>(), 1.0F);
  EXPECT_FLOAT_EQ(maps[0][1][0][3].item<float>(), -1.0F);
  EXPECT_FLOAT_EQ(maps[0][1][3][3].item<float>(), 1.0F);
}

}  // namespace
}  // namespace supn
