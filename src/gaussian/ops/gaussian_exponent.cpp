#include "gaussian/ops/gaussian_exponent.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include "gaussian/argument_checks.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// What a value leaves for its gradient.
enum class Keep { kNothing, kFields };

struct GaussianExponent : public Function<GaussianExponent> {
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& mean,
                            const at::Tensor& log_diagonal,
                            const at::Tensor& off_diagonal,
                            const Neighbourhood& neighbourhood,
                            const at::Tensor& d,
                            Keep keep) {
    context->saved_data["order"] = neighbourhood.numbers();
    at::Tensor kept;
    at::Tensor squares = device::squared_norm({log_diagonal, off_diagonal, neighbourhood},
                                              mean,
                                              d,
                                              keep == Keep::kFields ? &kept : nullptr);
    context->save_for_backward({mean, log_diagonal, off_diagonal, d, kept});
    return squares.mul_(-0.5);
  }

  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    check_first_order("log_prob");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& mean = saved[0];
    const at::Tensor& d = saved[3];
    const FactorMaps factor{
        saved[1], saved[2], Neighbourhood::of_numbers(context->saved_data["order"].toIntVector())};
    const bool wants_mean = context->needs_input_grad(0);
    ExponentGradient maps;
    if (wants_mean || context->needs_input_grad(1) || context->needs_input_grad(2)) {
      maps = device::exponent_gradient(factor, mean, d, saved[4], outer[0]);
    }
    at::Tensor of_mean;
    if (wants_mean) of_mean = device::factor_times(factor, maps.weighted);
    at::Tensor of_d;
    if (context->needs_input_grad(3)) of_d = gradient_of_field(factor, d.sub(mean), outer[0]);
    return {of_mean,
            maps.factor.log_diagonal,
            maps.factor.off_diagonal,
            at::Tensor(),
            of_d,
            at::Tensor()};
  }

  // −w_s·Λ(d_s − μ), which has the size of d itself.
  static at::Tensor gradient_of_field(const FactorMaps& factor,
                                      const at::Tensor& x,
                                      const at::Tensor& weights) {
    const at::Tensor z = device::factor_transpose_times(factor, x);
    const at::Tensor scale = weights.neg().to(x.scalar_type()).unsqueeze(2).unsqueeze(3);
    return device::factor_times(factor, z).mul_(scale);
  }
};

}  // namespace

at::Tensor gaussian_exponent(const StructuredGaussian& gaussian, const at::Tensor& d) {
  const bool learns = at::GradMode::is_enabled() &&
                      (gaussian.mean().requires_grad() || gaussian.log_diagonal().requires_grad() ||
                       gaussian.off_diagonal().requires_grad());
  return GaussianExponent::apply(gaussian.mean(),
                                 gaussian.log_diagonal(),
                                 gaussian.off_diagonal(),
                                 gaussian.neighbourhood(),
                                 d,
                                 learns ? Keep::kFields : Keep::kNothing);
}

}  // namespace supn
