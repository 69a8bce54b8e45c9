#include <atomic>

#include "gaussian/ops/ops.hpp"

namespace supn::device {
namespace {

// Read by the threads of autograd as well.
std::atomic<int> without_kernels = 0;

// One operator in its three implementations.
template <typename Operator>
struct Implementations {
  Operator& raster;
  Operator& planes;
  Operator& composite;
};

// The only choice of order and device.
template <typename Operator>
Operator& chosen(const FactorMaps& factor, const Implementations<Operator>& all) {
  if (!has_kernels(factor.log_diagonal.device())) return all.composite;
  return factor.neighbourhood.is_raster() ? all.raster : all.planes;
}

bool has_planes(const FactorMaps& factor) {
  return has_kernels(factor.log_diagonal.device()) && !factor.neighbourhood.is_raster();
}

}  // namespace

bool has_kernels(const at::Device& device) { return device.is_cpu() && without_kernels == 0; }

WithoutKernels::WithoutKernels() { ++without_kernels; }
WithoutKernels::~WithoutKernels() { --without_kernels; }

at::Tensor factor_times(const FactorMaps& factor, const at::Tensor& x) {
  return chosen<decltype(cpu::factor_times)>(
      factor, {cpu::factor_times, planes::factor_times, composite::factor_times})(factor, x);
}

at::Tensor factor_transpose_times(const FactorMaps& factor, const at::Tensor& x) {
  return chosen<decltype(cpu::factor_transpose_times)>(factor,
                                                       {cpu::factor_transpose_times,
                                                        planes::factor_transpose_times,
                                                        composite::factor_transpose_times})(factor,
                                                                                            x);
}

at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b) {
  return chosen<decltype(cpu::solve_factor)>(
      factor, {cpu::solve_factor, planes::solve_factor, composite::solve_factor})(factor, b);
}

at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b) {
  return chosen<decltype(cpu::solve_factor_transpose)>(factor,
                                                       {cpu::solve_factor_transpose,
                                                        planes::solve_factor_transpose,
                                                        composite::solve_factor_transpose})(factor,
                                                                                            b);
}

TransposeSolver transpose_solver(const FactorMaps& factor) {
  if (has_planes(factor)) return planes::transpose_solver(factor);
  return [factor](const at::Tensor& b) { return solve_factor_transpose(factor, b); };
}

at::Tensor covariance_times(const FactorMaps& factor, const at::Tensor& x) {
  if (has_planes(factor)) return planes::covariance_times(factor, x);
  return solve_factor_transpose(factor, solve_factor(factor, x));
}

at::Tensor jacobi_solve_factor_transpose(const FactorMaps& factor,
                                         const at::Tensor& b,
                                         std::int64_t sweeps) {
  return chosen<decltype(cpu::jacobi_solve_factor_transpose)>(
      factor,
      {cpu::jacobi_solve_factor_transpose,
       planes::jacobi_solve_factor_transpose,
       composite::jacobi_solve_factor_transpose})(factor, b, sweeps);
}

FactorGradient factor_gradient(const FactorMaps& factor, const at::Tensor& p, const at::Tensor& q) {
  return chosen<decltype(cpu::factor_gradient)>(
      factor, {cpu::factor_gradient, planes::factor_gradient, composite::factor_gradient})(
      factor, p, q);
}

at::Tensor squared_norm(const FactorMaps& factor,
                        const at::Tensor& mean,
                        const at::Tensor& d,
                        at::Tensor* kept) {
  if (has_planes(factor)) return planes::squared_norm(factor, mean, d, kept);
  if (has_kernels(d.device())) return cpu::squared_norm(factor, mean, d);
  return composite::squared_norm(factor, mean, d);
}

ExponentGradient exponent_gradient(const FactorMaps& factor,
                                   const at::Tensor& mean,
                                   const at::Tensor& d,
                                   const at::Tensor& kept,
                                   const at::Tensor& weights) {
  if (kept.defined()) return planes::exponent_gradient(factor, kept, weights);
  if (has_kernels(d.device())) return cpu::exponent_gradient(factor, mean, d, weights);
  return composite::exponent_gradient(factor, mean, d, weights);
}

at::Tensor sum_of_squares(const at::Tensor& x) {
  return has_kernels(x.device()) ? cpu::sum_of_squares(x) : composite::sum_of_squares(x);
}

at::Tensor sum_of_values(const at::Tensor& x) {
  return has_kernels(x.device()) ? cpu::sum_of_values(x) : composite::sum_of_values(x);
}

}  // namespace supn::device
