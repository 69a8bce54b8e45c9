#include "reflect_convolution.hpp"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/elu_backward.h>
#include <ATen/ops/reflection_pad2d.h>
#include <ATen/ops/reflection_pad2d_backward.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <array>

namespace supn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

constexpr std::array<std::int64_t, 4> kPadding{1, 1, 1, 1};

at::Tensor convolve(const at::Tensor& x,
                    const at::Tensor& weight,
                    const at::Tensor& bias,
                    Activation activation) {
  at::Tensor y = at::conv2d(at::reflection_pad2d(x, kPadding), weight, bias);
  if (activation == Activation::kElu) at::elu_(y);
  return y;
}

struct ReflectConvolution : public Function<ReflectConvolution> {
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& x,
                            const at::Tensor& weight,
                            const at::Tensor& bias,
                            Activation activation) {
    at::Tensor y = convolve(x, weight, bias, activation);
    context->save_for_backward({x, weight, activation == Activation::kElu ? y : at::Tensor()});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& weight = saved[1];
    at::Tensor gradient = outer[0];
    if (saved[2].defined()) {
      gradient = at::elu_backward(gradient, 1, 1, 1, /*is_result=*/true, saved[2]);
    }
    const auto [of_padded, of_weight, of_bias] = at::convolution_backward(
        gradient,
        at::reflection_pad2d(x, kPadding),
        weight,
        at::OptionalIntArrayRef(weight.sizes().slice(0, 1)),
        /*stride=*/{1, 1},
        /*padding=*/{0, 0},
        /*dilation=*/{1, 1},
        /*transposed=*/false,
        /*output_padding=*/{0, 0},
        /*groups=*/1,
        {context->needs_input_grad(0), context->needs_input_grad(1), context->needs_input_grad(2)});
    at::Tensor of_x;
    if (of_padded.defined()) of_x = at::reflection_pad2d_backward(of_padded, x, kPadding);
    return {of_x, of_weight, of_bias, at::Tensor()};
  }
};

}  // namespace

at::Tensor reflect_convolution(const at::Tensor& x,
                               const at::Tensor& weight,
                               const at::Tensor& bias,
                               Activation activation) {
  if (!c10::GradMode::is_enabled()) return convolve(x, weight, bias, activation);
  return ReflectConvolution::apply(x, weight, bias, activation);
}

}  // namespace supn
