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

// What a node on (φ, ψ, field) keeps: the maps, and one field of its choice.
void save(AutogradContext* context, const FactorMaps& factor, const at::Tensor& field) {
  context->saved_data["radius"] = factor.radius;
  context->save_for_backward({factor.log_diagonal, factor.off_diagonal, field});
}

struct Saved {
  FactorMaps factor;
  at::Tensor field;
};

Saved saved(AutogradContext* context) {
  const variable_list tensors = context->get_saved_variables();
  return {{tensors[0], tensors[1], context->saved_data["radius"].toInt()}, tensors[2]};
}

bool wants_factor(AutogradContext* context) {
  return context->needs_input_grad(0) || context->needs_input_grad(1);
}

// Gradients in the order of the arguments (φ, ψ, radius, field). `sign`·∂⟨p, Lᵀq⟩ for the maps.
variable_list gradients(const FactorGradient& factor, double sign, const at::Tensor& field) {
  const auto scaled = [sign](const at::Tensor& x) { return sign < 0 && x.defined() ? -x : x; };
  return {scaled(factor.log_diagonal), scaled(factor.off_diagonal), at::Tensor(), field};
}

// y = L x: ⟨g, Lx⟩ = ⟨x, Lᵀg⟩.
struct FactorTimes : public Function<FactorTimes> {
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& log_diagonal,
                            const at::Tensor& off_diagonal,
                            std::int64_t radius,
                            const at::Tensor& x) {
    const FactorMaps factor{log_diagonal, off_diagonal, radius};
    save(context, factor, x);
    return device::factor_times(factor, x);
  }
  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    check_first_order("factor_times");
    const auto [factor, x] = saved(context);
    FactorGradient maps;
    if (wants_factor(context)) maps = device::factor_gradient(factor, x, outer[0]);
    at::Tensor field;
    if (context->needs_input_grad(2)) field = device::factor_transpose_times(factor, outer[0]);
    return gradients(maps, 1, field);
  }
};

// y = Lᵀx.
struct FactorTransposeTimes : public Function<FactorTransposeTimes> {
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& log_diagonal,
                            const at::Tensor& off_diagonal,
                            std::int64_t radius,
                            const at::Tensor& x) {
    const FactorMaps factor{log_diagonal, off_diagonal, radius};
    save(context, factor, x);
    return device::factor_transpose_times(factor, x);
  }
  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    check_first_order("factor_transpose_times");
    const auto [factor, x] = saved(context);
    FactorGradient maps;
    if (wants_factor(context)) maps = device::factor_gradient(factor, outer[0], x);
    at::Tensor field;
    if (context->needs_input_grad(2)) field = device::factor_times(factor, outer[0]);
    return gradients(maps, 1, field);
  }
};

// L y = b: g_b = L⁻ᵀg, and dL y + L dy = 0 gives −⟨y, dLᵀ g_b⟩.
struct SolveFactor : public Function<SolveFactor> {
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& log_diagonal,
                            const at::Tensor& off_diagonal,
                            std::int64_t radius,
                            const at::Tensor& b) {
    const FactorMaps factor{log_diagonal, off_diagonal, radius};
    const at::Tensor y = device::solve_factor(factor, b);
    save(context, factor, y);
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    check_first_order("solve_factor");
    const auto [factor, y] = saved(context);
    const at::Tensor field = device::solve_factor_transpose(factor, outer[0]);
    FactorGradient maps;
    if (wants_factor(context)) maps = device::factor_gradient(factor, y, field);
    return gradients(maps, -1, field);
  }
};

// Lᵀs = b: g_b = L⁻¹g, and −⟨g_b, dLᵀ s⟩.
struct SolveFactorTranspose : public Function<SolveFactorTranspose> {
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& log_diagonal,
                            const at::Tensor& off_diagonal,
                            std::int64_t radius,
                            const at::Tensor& b) {
    const FactorMaps factor{log_diagonal, off_diagonal, radius};
    const at::Tensor s = device::solve_factor_transpose(factor, b);
    save(context, factor, s);
    return s;
  }
  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    check_first_order("solve_factor_transpose");
    const auto [factor, s] = saved(context);
    const at::Tensor field = device::solve_factor(factor, outer[0]);
    FactorGradient maps;
    if (wants_factor(context)) maps = device::factor_gradient(factor, field, s);
    return gradients(maps, -1, field);
  }
};

template <typename Node>
at::Tensor applied(const char* name, const StructuredGaussian& gaussian, const at::Tensor& field) {
  check_field(name, gaussian, field);
  return Node::apply(
      gaussian.log_diagonal(), gaussian.off_diagonal(), gaussian.neighbourhood().radius(), field);
}

}  // namespace

at::Tensor factor_times(const StructuredGaussian& gaussian, const at::Tensor& x) {
  return applied<FactorTimes>("factor_times", gaussian, x);
}

at::Tensor factor_transpose_times(const StructuredGaussian& gaussian, const at::Tensor& x) {
  return applied<FactorTransposeTimes>("factor_transpose_times", gaussian, x);
}

at::Tensor solve_factor(const StructuredGaussian& gaussian, const at::Tensor& b) {
  return applied<SolveFactor>("solve_factor", gaussian, b);
}

at::Tensor solve_factor_transpose(const StructuredGaussian& gaussian, const at::Tensor& b) {
  return applied<SolveFactorTranspose>("solve_factor_transpose", gaussian, b);
}

at::Tensor precision_times(const StructuredGaussian& gaussian, const at::Tensor& x) {
  return factor_times(gaussian, factor_transpose_times(gaussian, x));
}

}  // namespace supn
