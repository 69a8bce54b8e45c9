// The stored Gaussian fixtures (dense float64 algebra): shared/golden, see its README.
#include "gaussian_fixture.hpp"
#include "golden_fixture.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/likelihood.hpp"

namespace supn::test {
namespace {

TEST_P(GoldenGaussian, LogProb) {
  const at::Tensor expected = fixture("logprob");
  EXPECT_LT(largest_difference(log_prob(gaussian(), field("x"))[0], expected), 1e-10);
}

TEST_P(GoldenGaussian, Whiten) {
  EXPECT_LT(largest_difference(whiten(gaussian(), field("x")), field("whiten")), 1e-10);
}

TEST_P(GoldenGaussian, FactorTimes) {
  const StructuredGaussian g = gaussian();
  const at::Tensor product = factor_times(g, field("x").sub(g.mean()));
  EXPECT_LT(largest_difference(product, field("L_times_d")), 1e-10);
}

TEST_P(GoldenGaussian, Colour) {
  EXPECT_LT(largest_difference(colour(gaussian(), field("eps")), field("sample")), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Radius,
                         GoldenGaussian,
                         testing::Values(1, 2),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace supn::test
