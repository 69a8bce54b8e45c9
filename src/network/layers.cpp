#include "supn/network/layers.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/upsample_nearest2d.h>

#include "reflect_convolution.hpp"

namespace supn {

ReflectConv::ReflectConv(std::int64_t in_channels, std::int64_t out_channels)
    : conv_(register_module(
          "conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(in_channels, out_channels, 3)))) {}

at::Tensor ReflectConv::forward(const at::Tensor& x) {
  return reflect_convolution(x, conv_->weight, conv_->bias, Activation::kNone);
}

ReflectConvElu::ReflectConvElu(std::int64_t in_channels, std::int64_t out_channels)
    : conv_(register_module("conv", std::make_shared<ReflectConv>(in_channels, out_channels))) {}

at::Tensor ReflectConvElu::forward(const at::Tensor& x) {
  torch::nn::Conv2d& conv = conv_->convolution();
  return reflect_convolution(x, conv->weight, conv->bias, Activation::kElu);
}

at::Tensor upsample_twice(const at::Tensor& x) {
  return at::upsample_nearest2d(x, c10::nullopt, at::ArrayRef<double>({2.0, 2.0}));
}

at::Tensor normalise_image(const at::Tensor& image) { return (image - 0.45) / 0.225; }

at::Tensor coordinate_maps(const at::Tensor& x) {
  const std::int64_t batch = x.size(0);
  const std::int64_t height = x.size(2);
  const std::int64_t width = x.size(3);
  const at::Tensor columns = at::linspace(-1, 1, width, x.options()).view({1, 1, 1, width});
  const at::Tensor rows = at::linspace(-1, 1, height, x.options()).view({1, 1, height, 1});
  return at::cat(
      {columns.expand({batch, 1, height, width}), rows.expand({batch, 1, height, width})}, 1);
}

}  // namespace supn
