#include "gaussian/ops/ops.hpp"

namespace supn::device {

at::Tensor factor_times(const FactorMaps& factor, const at::Tensor& x) {
  return x.is_cpu() ? cpu::factor_times(factor, x) : composite::factor_times(factor, x);
}

at::Tensor factor_transpose_times(const FactorMaps& factor, const at::Tensor& x) {
  return x.is_cpu() ? cpu::factor_transpose_times(factor, x)
                    : composite::factor_transpose_times(factor, x);
}

at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b) {
  return b.is_cpu() ? cpu::solve_factor(factor, b) : composite::solve_factor(factor, b);
}

at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b) {
  return b.is_cpu() ? cpu::solve_factor_transpose(factor, b)
                    : composite::solve_factor_transpose(factor, b);
}

at::Tensor jacobi_solve_factor_transpose(const FactorMaps& factor,
                                         const at::Tensor& b,
                                         std::int64_t sweeps) {
  return b.is_cpu() ? cpu::jacobi_solve_factor_transpose(factor, b, sweeps)
                    : composite::jacobi_solve_factor_transpose(factor, b, sweeps);
}

FactorGradient factor_gradient(const FactorMaps& factor, const at::Tensor& p, const at::Tensor& q) {
  return p.is_cpu() ? cpu::factor_gradient(factor, p, q) : composite::factor_gradient(factor, p, q);
}

at::Tensor sum_of_squares(const at::Tensor& x) {
  return x.is_cpu() ? cpu::sum_of_squares(x) : composite::sum_of_squares(x);
}

at::Tensor sum_of_values(const at::Tensor& x) {
  return x.is_cpu() ? cpu::sum_of_values(x) : composite::sum_of_values(x);
}

}  // namespace supn::device
