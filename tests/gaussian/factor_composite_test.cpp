// The CPU kernels against the same operators as ATen operations.
#include "gaussian/ops/ops.hpp"
#include "gaussian_fixture.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn::test {
namespace {

FactorMaps maps_of(const StructuredGaussian& g) {
  return {g.log_diagonal(), g.off_diagonal(), g.neighbourhood()};
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
    expect_close(device::factor_times(maps, x), composite::factor_times(maps, x));
    expect_close(device::factor_transpose_times(maps, x),
                 composite::factor_transpose_times(maps, x));
    expect_close(device::solve_factor(maps, x), composite::solve_factor(maps, x));
    expect_close(device::solve_factor_transpose(maps, x),
                 composite::solve_factor_transpose(maps, x));
    expect_close(device::jacobi_solve_factor_transpose(maps, x, 4),
                 composite::jacobi_solve_factor_transpose(maps, x, 4));
    expect_close(device::sum_of_squares(x), composite::sum_of_squares(x));
    expect_close(device::sum_of_values(x), composite::sum_of_values(x));
    const FactorGradient kernel = device::factor_gradient(maps, x, y);
    const FactorGradient reference = composite::factor_gradient(maps, x, y);
    expect_close(kernel.log_diagonal, reference.log_diagonal);
    if (!GetParam().neighbourhood.is_diagonal())
      expect_close(kernel.off_diagonal, reference.off_diagonal);
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
  if (!GetParam().neighbourhood.is_diagonal()) expect_close(psi, reference_psi);
}

// The fused density against whole tensors, forward and backward, in μ, φ, ψ and d.
TEST_P(Composite, LogProbHasTheGradientsOfWholeTensors) {
  for (const GaussianShape& shape : {GaussianShape{2, 9, 13},
                                     GaussianShape{1, 1, 1},
                                     GaussianShape{2, 5, 1},
                                     GaussianShape{1, 1, 5},
                                     GaussianShape{1, 2, 2}}) {
    const StructuredGaussian g = gaussian(shape);
    const at::Tensor weights = random_tensor({shape.batch, 3}, 9).to(GetParam().dtype);
    const auto gradients = [&](bool fused) {
      std::vector<at::Tensor> leaves{g.mean(), g.log_diagonal(), g.off_diagonal(), field(g)};
      for (at::Tensor& leaf : leaves) leaf = leaf.clone().requires_grad_();
      const StructuredGaussian tracked(leaves[0], leaves[1], leaves[2], g.neighbourhood());
      const at::Tensor strided = leaves[3].transpose(2, 3).contiguous().transpose(2, 3);
      const at::Tensor nats =
          fused ? log_prob(tracked, strided)
                : composite::factor_transpose_times(maps_of(tracked), strided.sub(leaves[0]))
                      .square()
                      .sum({2, 3})
                      .mul(-0.5)
                      .add(leaves[1].sum({2, 3}));
      nats.mul(weights).sum().backward();
      std::vector<at::Tensor> result;
      for (const at::Tensor& leaf : leaves) result.push_back(leaf.grad());
      return result;
    };
    const std::vector<at::Tensor> fused = gradients(true);
    const std::vector<at::Tensor> reference = gradients(false);
    for (std::size_t i = 0; i < fused.size(); ++i) {
      // Without any neighbour inside the image ψ has no part in the reference's graph.
      if (fused[i].numel() == 0) continue;
      if (!reference[i].defined()) {
        EXPECT_EQ(largest(fused[i]), 0.0);
      } else {
        expect_close(fused[i], reference[i]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Composite, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace supn::test
