#include "supn/network/layers.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/upsample_nearest2d.h>

#include "reflect_convolution.hpp"

namespace supn {

ReflectConv::ReflectConv(std::int64_t in_channels, std::int64_t out_channels)
    : conv_(register_module(
          "conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(in_channels, out_channels, 3)))) {}

at::Tensor ReflectConv::forward(const at::Tensor& x) {
  return reflect_convolution(x, at::Tensor(), conv_->weight, conv_->bias, Activation::kNone);
}

ReflectConvElu::ReflectConvElu(std::int64_t in_channels, std::int64_t out_channels)
    : conv_(register_module("conv", std::make_shared<ReflectConv>(in_channels, out_channels))) {}

at::Tensor ReflectConvElu::forward(const at::Tensor& x, const at::Tensor& common) {
  torch::nn::Conv2d& conv = conv_->convolution();
  return reflect_convolution(x, common, conv->weight, conv->bias, Activation::kElu);
}

at::Tensor upsample_twice(const at::Tensor& x) {
  return at::upsample_nearest2d(x, c10::nullopt, at::ArrayRef<double>({2.0, 2.0}));
}

at::Tensor normalise_image(const at::Tensor& image) { return (image - 0.45) / 0.225; }

// Does without the sizes themselves, which tracing (torch_script.cpp) would take for constants.
at::Tensor coordinate_maps(const at::Tensor& x) {
  const at::Tensor map = x.narrow(0, 0, 1).narrow(1, 0, 1);
  // Half precision cannot count as far as images are wide.
  const at::TensorOptions counting(c10::promoteTypes(map.scalar_type(), at::kFloat));
  const auto along = [&](std::int64_t dimension, std::int64_t other) {
    const at::Tensor ones = at::ones_like(map.narrow(other, 0, 1), counting);
    const at::Tensor index = ones.cumsum(dimension) - 1;
    const at::Tensor last = index.narrow(dimension, -1, 1);
    return ((2 * index - last) / last).to(map.scalar_type()).expand_as(map);
  };
  return at::cat({along(3, 2), along(2, 3)}, 1);
}

}  // namespace supn
