// The CPU kernels against the same operators as ATen operations; CUDA against the CPU where
// present.
#include <ATen/Context.h>

#include "gaussian/factor_maps.hpp"
#include "gaussian_fixture.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn::test {
namespace {

FactorMaps maps_of(const StructuredGaussian& g) {
  return {g.log_diagonal(), g.off_diagonal(), g.neighbourhood().radius()};
}

class Composite : public GaussianTest {
 protected:
  void expect_close(const at::Tensor& kernel, const at::Tensor& composite) const {
    ASSERT_EQ(kernel.sizes(), composite.sizes());
    const double bound = (GetParam().dtype == at::kDouble ? 1e-11 : 2e-4);
    EXPECT_LT(largest_difference(kernel, composite), bound * (1 + largest(composite)));
  }
};

TEST_P(Composite, IsWhatTheKernelsCompute) {
  for (const GaussianShape& shape : {GaussianShape{2, 9, 13},
                                     GaussianShape{1, 1, 1},
                                     GaussianShape{2, 5, 1},
                                     GaussianShape{1, 1, 5},
                                     GaussianShape{1, 2, 2}}) {
    const StructuredGaussian g = gaussian(shape);
    const FactorMaps maps = maps_of(g);
    const at::Tensor x = field(g);
    const at::Tensor y = field(g).flip({2});
    expect_close(cpu::factor_times(maps, x), composite::factor_times(maps, x));
    expect_close(cpu::factor_transpose_times(maps, x), composite::factor_transpose_times(maps, x));
    expect_close(cpu::solve_factor(maps, x), composite::solve_factor(maps, x));
    expect_close(cpu::solve_factor_transpose(maps, x), composite::solve_factor_transpose(maps, x));
    expect_close(cpu::jacobi_solve_factor_transpose(maps, x, 4),
                 composite::jacobi_solve_factor_transpose(maps, x, 4));
    expect_close(cpu::sum_of_squares(x), composite::sum_of_squares(x));
    expect_close(cpu::sum_of_values(x), composite::sum_of_values(x));
    const FactorGradient kernel = cpu::factor_gradient(maps, x, y);
    const FactorGradient reference = composite::factor_gradient(maps, x, y);
    expect_close(kernel.log_diagonal, reference.log_diagonal);
    if (GetParam().radius > 0) expect_close(kernel.off_diagonal, reference.off_diagonal);
  }
}

TEST_P(Composite, BackwardOfTheKernelsIsItsAutograd) {
  const StructuredGaussian g = gaussian();
  const at::Tensor d = field(g);
  const auto gradients = [&](bool by_kernel) {
    const at::Tensor phi = g.log_diagonal().clone().requires_grad_();
    const at::Tensor psi = g.off_diagonal().clone().requires_grad_();
    const StructuredGaussian tracked(g.mean(), phi, psi, g.neighbourhood());
    const at::Tensor z = by_kernel
                             ? whiten(tracked, d)
                             : composite::factor_transpose_times(maps_of(tracked), d.sub(g.mean()));
    z.square().mul(-0.5).sum().add(phi.sum().mul(3)).backward();
    return std::pair(phi.grad(), psi.grad());
  };
  const auto [phi, psi] = gradients(true);
  const auto [reference_phi, reference_psi] = gradients(false);
  expect_close(phi, reference_phi);
  if (GetParam().radius > 0) expect_close(psi, reference_psi);
}

TEST_P(Composite, OnCudaIsTheCpuResult) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, or not linked against LibTorch's CUDA";
  const StructuredGaussian g = gaussian({2, 40, 70});
  const StructuredGaussian on_device = g.to(at::Device(at::kCUDA));
  const at::Tensor x = field(g);
  const at::Tensor x_on_device = x.to(at::kCUDA);
  const auto expect_same = [&](const auto& function) {
    expect_close(function(on_device, x_on_device).cpu(), function(g, x));
  };
  expect_same(factor_times);
  expect_same(factor_transpose_times);
  expect_same(solve_factor);
  expect_same(solve_factor_transpose);
  expect_same(log_prob);
}

INSTANTIATE_TEST_SUITE_P(All, Composite, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace supn::test
