// Products, solves, densities and samples on a device.
#include <ATen/ops/empty.h>

#include "device_fixture.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn::test {
namespace {

using Seeds = std::vector<std::uint64_t>;

class FactorOnDevice : public DeviceTest {
 protected:
  // Every function of one field.
  static void expect_fields_agree(const StructuredGaussian& g, const at::Tensor& x) {
    expect_same(factor_times, g, x);
    expect_same(factor_transpose_times, g, x);
    expect_same(precision_times, g, x);
    expect_same(solve_factor, g, x);
    expect_same(solve_factor_transpose, g, x);
    expect_same(whiten, g, x);
    expect_same(colour, g, x);
    expect_same(log_prob, g, x);
  }
};

TEST_P(FactorOnDevice, IsThatOfTheKernels) {
  for (const GaussianShape& shape : {GaussianShape{2, 40, 70}, {1, 33, 65}, {1, 1, 5}}) {
    const StructuredGaussian g = gaussian(shape);
    expect_fields_agree(g, field(g));
    expect_same(log_determinant, g);
    expect_same(entropy, g);
  }
}

TEST_P(FactorOnDevice, TakesMapsAndFieldsOfAnyLayout) {
  const StructuredGaussian g = gaussian();
  const at::Tensor x = field(g);
  const auto transposed = [](const at::Tensor& map) {
    return map.transpose(2, 3).contiguous().transpose(2, 3);
  };
  const auto channels_last = [](const at::Tensor& map) {
    return map.contiguous(at::MemoryFormat::ChannelsLast);
  };
  const auto part_of_more = [](const at::Tensor& map) {
    at::Tensor more =
        at::empty({map.size(0), map.size(1), map.size(2) + 3, map.size(3) + 5}, map.options());
    return more.narrow(2, 1, map.size(2)).narrow(3, 2, map.size(3)).copy_(map);
  };
  const auto laid_out = [&](const auto& layout) {
    const StructuredGaussian as_asked(
        layout(g.mean()), layout(g.log_diagonal()), layout(g.off_diagonal()), g.neighbourhood());
    expect_fields_agree(as_asked, layout(x));
  };
  laid_out(transposed);
  laid_out(channels_last);
  laid_out(part_of_more);
}

TEST_P(FactorOnDevice, SweepsByJacobiAlike) {
  const StructuredGaussian g = gaussian();
  const at::Tensor x = field(g);
  expect_same(
      [](const StructuredGaussian& gaussian, const at::Tensor& b) {
        return jacobi_solve_factor_transpose(gaussian, b, 5).solution;
      },
      g,
      x);
  const auto residual = [&](const at::Device& device) {
    return jacobi_solve_factor_transpose(g.to(device), x.to(device), 5).report.relative_residual;
  };
  const double expected = residual(at::Device(at::kCPU));
  EXPECT_NEAR(at_place(place(), residual), expected, 1e-6 + 1e-4 * expected);
}

TEST_P(FactorOnDevice, HasTheGradientsOfTheKernels) {
  const StructuredGaussian g = gaussian();
  const at::Tensor x = field(g);
  const auto gradients = [&](const auto& function, const at::Device& device) {
    std::vector<at::Tensor> leaves{g.mean(), g.log_diagonal(), g.off_diagonal(), x};
    for (at::Tensor& leaf : leaves) leaf = leaf.to(device).clone().requires_grad_();
    const at::Tensor y =
        function(StructuredGaussian(leaves[0], leaves[1], leaves[2], g.neighbourhood()), leaves[3]);
    y.mul(random_tensor(y.sizes().vec(), 5).to(device, y.scalar_type())).sum().backward();
    std::vector<at::Tensor> found;
    for (const at::Tensor& leaf : leaves) found.push_back(leaf.grad());
    return found;
  };
  const auto expect_same_gradients = [&](const auto& function) {
    const auto expected = gradients(function, at::Device(at::kCPU));
    const auto found =
        at_place(place(), [&](const at::Device& device) { return gradients(function, device); });
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found[i].defined(), expected[i].defined()) << i;
      if (expected[i].defined()) expect_close(found[i], expected[i]);
    }
  };
  expect_same_gradients(factor_times);
  expect_same_gradients(whiten);
  expect_same_gradients(solve_factor);
  expect_same_gradients(colour);
  expect_same_gradients(log_prob);
}

// The noise of a seed is the same on every device, to rounding.
TEST_P(FactorOnDevice, DrawsTheSamplesOfTheSeed) {
  const StructuredGaussian g = gaussian();
  for (const SampleMethod method : {SampleMethod::kExact, SampleMethod::kJacobi}) {
    const SampleOptions options{.method = method, .iterations = 6, .range = {4, 3}};
    expect_same(
        [&](const StructuredGaussian& of) {
          return sample(of, Seeds{7, 1}, options).values;
        },
        g);
  }
  const Samples drawn = at_place(place(), [&](const at::Device& device) {
    return sample(g.to(device), Seeds{7, 1}, {.range = {4, 3}});
  });
  EXPECT_TRUE(drawn.report.converged(1e-5)) << drawn.report.relative_residual;
}

SUPN_INSTANTIATE_ON_DEVICES(FactorOnDevice);

}  // namespace
}  // namespace supn::test
