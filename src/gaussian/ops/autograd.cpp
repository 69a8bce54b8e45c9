#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "gaussian/argument_checks.hpp"
#include "gaussian/ops/ops.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// A rule says of y = A(L) x: its name, A itself, the operator that brings the outer gradient g back
// to x, and the derivative of the maps from one kept field, x or y. Solves keep y: dL y + L dy = 0.

// ⟨g, Lx⟩ = ⟨x, Lᵀg⟩.
struct Times {
  static constexpr const char* kName = "factor_times";
  static constexpr bool kKeepsResult = false;
  static constexpr auto* apply = &device::factor_times;
  static constexpr auto* adjoint = &device::factor_transpose_times;
  static FactorGradient maps(const FactorMaps& factor, const at::Tensor& x, const at::Tensor& g) {
    return device::factor_gradient(factor, x, g);
  }
};

struct TransposeTimes {
  static constexpr const char* kName = "factor_transpose_times";
  static constexpr bool kKeepsResult = false;
  static constexpr auto* apply = &device::factor_transpose_times;
  static constexpr auto* adjoint = &device::factor_times;
  static FactorGradient maps(const FactorMaps& factor, const at::Tensor& x, const at::Tensor& g) {
    return device::factor_gradient(factor, g, x);
  }
};

// −⟨y, dLᵀ g_b⟩, g_b the gradient of the right-hand side.
struct Solve {
  static constexpr const char* kName = "solve_factor";
  static constexpr bool kKeepsResult = true;
  static constexpr auto* apply = &device::solve_factor;
  static constexpr auto* adjoint = &device::solve_factor_transpose;
  static FactorGradient maps(const FactorMaps& factor, const at::Tensor& y, const at::Tensor& g_b) {
    return device::factor_gradient(factor, y, g_b);
  }
};

// −⟨g_b, dLᵀ s⟩.
struct SolveTranspose {
  static constexpr const char* kName = "solve_factor_transpose";
  static constexpr bool kKeepsResult = true;
  static constexpr auto* apply = &device::solve_factor_transpose;
  static constexpr auto* adjoint = &device::solve_factor;
  static FactorGradient maps(const FactorMaps& factor, const at::Tensor& s, const at::Tensor& g_b) {
    return device::factor_gradient(factor, g_b, s);
  }
};

template <typename Rule>
struct FactorNode : public Function<FactorNode<Rule>> {
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& log_diagonal,
                            const at::Tensor& off_diagonal,
                            const Neighbourhood& neighbourhood,
                            const at::Tensor& field) {
    const at::Tensor result = Rule::apply({log_diagonal, off_diagonal, neighbourhood}, field);
    context->saved_data["order"] = neighbourhood.numbers();
    context->save_for_backward({log_diagonal, off_diagonal, Rule::kKeepsResult ? result : field});
    return result;
  }

  // Returns gradients in the order of the arguments.
  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    check_first_order(Rule::kName);
    const variable_list saved = context->get_saved_variables();
    const FactorMaps factor{
        saved[0], saved[1], Neighbourhood::of_numbers(context->saved_data["order"].toIntVector())};
    const bool wants_maps = context->needs_input_grad(0) || context->needs_input_grad(1);
    at::Tensor field;
    if (context->needs_input_grad(2) || Rule::kKeepsResult) field = Rule::adjoint(factor, outer[0]);
    FactorGradient maps;
    if (wants_maps) maps = Rule::maps(factor, saved[2], Rule::kKeepsResult ? field : outer[0]);
    if (wants_maps && Rule::kKeepsResult) {
      maps.log_diagonal.neg_();
      maps.off_diagonal.neg_();
    }
    return {maps.log_diagonal, maps.off_diagonal, at::Tensor(), field};
  }
};

template <typename Rule>
at::Tensor applied(const StructuredGaussian& gaussian, const at::Tensor& field) {
  check_field(Rule::kName, gaussian, field);
  return FactorNode<Rule>::apply(
      gaussian.log_diagonal(), gaussian.off_diagonal(), gaussian.neighbourhood(), field);
}

}  // namespace

at::Tensor factor_times(const StructuredGaussian& gaussian, const at::Tensor& x) {
  return applied<Times>(gaussian, x);
}

at::Tensor factor_transpose_times(const StructuredGaussian& gaussian, const at::Tensor& x) {
  return applied<TransposeTimes>(gaussian, x);
}

at::Tensor solve_factor(const StructuredGaussian& gaussian, const at::Tensor& b) {
  return applied<Solve>(gaussian, b);
}

at::Tensor solve_factor_transpose(const StructuredGaussian& gaussian, const at::Tensor& b) {
  return applied<SolveTranspose>(gaussian, b);
}

at::Tensor precision_times(const StructuredGaussian& gaussian, const at::Tensor& x) {
  return factor_times(gaussian, factor_transpose_times(gaussian, x));
}

}  // namespace supn
