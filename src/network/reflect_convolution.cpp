#include "reflect_convolution.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/elu_backward.h>
#include <ATen/ops/reflection_pad2d.h>
#include <ATen/ops/reflection_pad2d_backward.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <array>
#include <tuple>

#include "autocast.hpp"
#include "elu.hpp"

namespace supn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

constexpr std::array<std::int64_t, 4> kPadding{1, 1, 1, 1};

// Returns the weight's part for the channels of `maps`, of which the first is channel `first`.
at::Tensor part_for(const at::Tensor& maps, const at::Tensor& weight, std::int64_t first) {
  if (maps.size(1) == weight.size(1)) return weight;
  return weight.narrow(1, first, maps.size(1)).contiguous(weight.suggest_memory_format());
}

at::Tensor convolve(const at::Tensor& x,
                    const at::Tensor& common,
                    const at::Tensor& weight,
                    const at::Tensor& bias,
                    Activation activation) {
  at::Tensor y = at::conv2d(at::reflection_pad2d(x, kPadding), part_for(x, weight, 0), bias);
  if (common.defined()) {
    y.add_(at::conv2d(at::reflection_pad2d(common, kPadding), part_for(common, weight, x.size(1))));
  }
  return activation == Activation::kElu ? elu_in_place(y) : y;
}

// Returns the gradients in the padded input, the weight and the bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor> gradients_of(const at::Tensor& gradient,
                                                            const at::Tensor& padded,
                                                            const at::Tensor& weight,
                                                            std::array<bool, 3> wanted) {
  return at::convolution_backward(gradient,
                                  padded,
                                  weight,
                                  at::OptionalIntArrayRef(weight.sizes().slice(0, 1)),
                                  /*stride=*/{1, 1},
                                  /*padding=*/{0, 0},
                                  /*dilation=*/{1, 1},
                                  /*transposed=*/false,
                                  /*output_padding=*/{0, 0},
                                  /*groups=*/1,
                                  wanted);
}

// The maps are in a struct, since autograd takes no undefined tensor for an input.
struct CommonMaps {
  at::Tensor maps;
};

struct ReflectConvolution : public Function<ReflectConvolution> {
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& x,
                            const CommonMaps& common,
                            const at::Tensor& weight,
                            const at::Tensor& bias,
                            Activation activation) {
    at::Tensor y = convolve(x, common.maps, weight, bias, activation);
    context->save_for_backward(
        {x, common.maps, weight, activation == Activation::kElu ? y : at::Tensor()});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    const WithoutAutocast in_these_dtypes;
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& common = saved[1];
    const at::Tensor& weight = saved[2];
    at::Tensor gradient = outer[0];
    if (saved[3].defined()) {
      gradient = at::elu_backward(gradient, 1, 1, 1, /*is_result=*/true, saved[3]);
    }
    const bool wants_weight = context->needs_input_grad(1);
    auto [of_padded, of_weight, of_bias] =
        gradients_of(gradient,
                     at::reflection_pad2d(x, kPadding),
                     part_for(x, weight, 0),
                     {context->needs_input_grad(0), wants_weight, context->needs_input_grad(2)});
    if (common.defined() && wants_weight) {
      const at::Tensor of_common = std::get<1>(gradients_of(gradient.sum(0, /*keepdim=*/true),
                                                            at::reflection_pad2d(common, kPadding),
                                                            part_for(common, weight, x.size(1)),
                                                            {false, true, false}));
      of_weight = at::cat({of_weight, of_common}, 1);
    }
    at::Tensor of_x;
    if (of_padded.defined()) of_x = at::reflection_pad2d_backward(of_padded, x, kPadding);
    return {of_x, at::Tensor(), of_weight, of_bias, at::Tensor()};
  }
};

}  // namespace

at::Tensor reflect_convolution(const at::Tensor& x,
                               const at::Tensor& common,
                               const at::Tensor& weight,
                               const at::Tensor& bias,
                               Activation activation) {
  const at::Tensor cast_x = as_convolved(x);
  const at::Tensor cast_common = as_convolved(common);
  const at::Tensor cast_weight = as_convolved(weight);
  const at::Tensor cast_bias = as_convolved(bias);
  const WithoutAutocast in_these_dtypes;
  if (!c10::GradMode::is_enabled()) {
    return convolve(cast_x, cast_common, cast_weight, cast_bias, activation);
  }
  return ReflectConvolution::apply(
      cast_x, CommonMaps{cast_common}, cast_weight, cast_bias, activation);
}

}  // namespace supn
