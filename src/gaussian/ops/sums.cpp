#include "gaussian/ops/sums.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include "gaussian/argument_checks.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

struct SumOfValues : public Function<SumOfValues> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    context->saved_data["shape"] = x.sizes();
    context->saved_data["dtype"] = x.scalar_type();
    return device::sum_of_values(x);
  }
  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    check_first_order("sum_of_values");
    const at::Tensor gradient = outer[0].to(context->saved_data["dtype"].toScalarType());
    return {gradient.unsqueeze(2).unsqueeze(3).expand(context->saved_data["shape"].toIntVector())};
  }
};

}  // namespace

at::Tensor sum_of_values(const at::Tensor& x) { return SumOfValues::apply(x); }

}  // namespace supn
