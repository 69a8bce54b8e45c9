#include "supn/gaussian/likelihood.hpp"

#include <ATen/ops/linalg_slogdet.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "gaussian/large_buffer.hpp"
#include "gaussian/ops/ops.hpp"
#include "gaussian_fixture.hpp"

namespace supn::test {
namespace {

constexpr double kLog2Pi = 1.8378770664093454835606594728112;

class Likelihood : public GaussianTest {
 protected:
  double tolerance() const { return GetParam().dtype == at::kDouble ? 1e-12 : 1e-5; }
};

// From the dense precision: −½ xᵀΛx + ½ log det Λ − (N/2) log 2π.
double dense_log_prob(const StructuredGaussian& g,
                      const at::Tensor& d,
                      std::int64_t b,
                      std::int64_t s) {
  const at::Tensor transpose = dense_factor_transpose(g, b);
  const at::Tensor precision = transpose.t().matmul(transpose);
  const at::Tensor x = d[b][s].sub(g.mean()[b][0]).to(at::kDouble).reshape({-1});
  const double quadratic = x.dot(precision.matmul(x)).item<double>();
  const double log_det = std::get<1>(at::linalg_slogdet(precision)).item<double>();
  return -0.5 * quadratic + 0.5 * log_det - 0.5 * static_cast<double>(g.pixels()) * kLog2Pi;
}

TEST_P(Likelihood, LogProbIsTheDenseMultivariateNormal) {
  for (const GaussianShape& shape :
       {GaussianShape{2, 6, 8}, GaussianShape{1, 1, 1}, GaussianShape{1, 3, 2}}) {
    const StructuredGaussian g = gaussian(shape);
    const at::Tensor d = field(g);
    const at::Tensor nats = log_prob(g, d);
    ASSERT_EQ(nats.sizes(), (std::vector<std::int64_t>{shape.batch, 3}));
    EXPECT_EQ(nats.scalar_type(), GetParam().dtype);
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      for (std::int64_t s = 0; s < 3; ++s) {
        const double expected = dense_log_prob(g, d, b, s);
        EXPECT_NEAR(nats[b][s].item<double>(), expected, tolerance() * (1 + std::abs(expected)));
      }
    }
  }
}

TEST_P(Likelihood, LogDeterminantAndEntropyAreDense) {
  const StructuredGaussian g = gaussian();
  for (std::int64_t b = 0; b < g.batch(); ++b) {
    const at::Tensor transpose = dense_factor_transpose(g, b);
    const at::Tensor precision = transpose.t().matmul(transpose);
    const double log_det = std::get<1>(at::linalg_slogdet(precision)).item<double>();
    const double nats = 0.5 * static_cast<double>(g.pixels()) * (kLog2Pi + 1.0) - 0.5 * log_det;
    EXPECT_NEAR(log_determinant(g)[b].item<double>(), log_det, tolerance() * 100);
    EXPECT_NEAR(entropy(g)[b].item<double>(), nats, tolerance() * 100);
  }
}

TEST_P(Likelihood, WhitenUndoesColour) {
  const StructuredGaussian g = gaussian();
  const at::Tensor eps = field(g);
  const double bound = GetParam().dtype == at::kDouble ? 1e-10 : 1e-3;
  EXPECT_LT(largest_difference(whiten(g, colour(g, eps)), eps), bound);
  EXPECT_LT(largest_difference(colour(g, whiten(g, eps)), eps), bound);
}

TEST_P(Likelihood, BitsDoNotDependOnBatchSamplesAndThreads) {
  const StructuredGaussian g = gaussian({3, 37, 53});
  const at::Tensor d = field(g, 5);
  const ThreadCount one(1);
  const at::Tensor nats = log_prob(g, d);
  const ThreadCount many(3);
  EXPECT_TRUE(log_prob(g, d).equal(nats));
  const at::Tensor alone = log_prob(g.image(2), d.narrow(0, 2, 1).narrow(1, 3, 1));
  EXPECT_TRUE(alone[0][0].equal(nats[2][3]));
  EXPECT_TRUE(log_determinant(g.image(1))[0].equal(log_determinant(g)[1]));
}

INSTANTIATE_TEST_SUITE_P(All, Likelihood, testing::ValuesIn(all_cases()), case_name);

TEST(Likelihood, Radius0IsIndependentNormals) {
  const StructuredGaussian g = random_gaussian(0);
  const at::Tensor d = random_tensor({2, 3, 6, 8}, 9);
  const at::Tensor z = d.sub(g.mean()).mul(g.log_diagonal().exp());
  const at::Tensor per_pixel = z.square().mul(-0.5).add(g.log_diagonal()).sub(0.5 * kLog2Pi);
  EXPECT_LT(largest_difference(log_prob(g, d), per_pixel.sum({2, 3})), 1e-11);
}

TEST(Likelihood, FloatFollowsDoubleOnALargeImage) {
  const StructuredGaussian g = random_gaussian(2, {1, 192, 320});
  const at::Tensor d = random_tensor({1, 2, 192, 320}, 9);
  const at::Tensor exact = log_prob(g, d);
  const at::Tensor rounded = log_prob(g.to(at::kFloat), d.to(at::kFloat));
  EXPECT_LT(largest_difference(rounded, exact), 1e-6 * largest(exact));
}

// Fills the storage that is kept for reuse, of any size, with values that show.
void soil_kept_storage() {
  std::vector<LargeBuffer> all;
  for (std::int64_t count = 8192; count < 500'000; count += count / 3) {
    all.emplace_back(count);
    std::fill_n(all.back().data(), count, std::numeric_limits<double>::quiet_NaN());
  }
}

// Neighbours outside the image count nothing, the coarsest grid's below its last corner too.
TEST(Likelihood, GradientsDoNotSeeWhatLiesBeyondTheImage) {
  for (const std::int64_t levels : {0, 1, 3}) {
    const StructuredGaussian g =
        random_gaussian(Neighbourhood(CoarseToFine{.levels = levels}), {2, 16, 16});
    const auto gradient = [&] {
      const at::Tensor psi = g.off_diagonal().clone().requires_grad_(true);
      const StructuredGaussian with_graph(g.mean(), g.log_diagonal(), psi, g.neighbourhood());
      log_prob(with_graph, random_tensor({2, 8, 16, 16}, 3)).sum().backward();
      return psi.grad();
    };
    soil_kept_storage();
    const at::Tensor kernels = gradient();
    const device::WithoutKernels without_kernels;
    EXPECT_LT(largest_difference(kernels, gradient()), 1e-10) << levels << " levels";
  }
}

TEST(LikelihoodContract, RejectsAWrongShape) {
  const StructuredGaussian g = random_gaussian(1);
  EXPECT_THROW(log_prob(g, random_tensor({1, 1, 6, 8}, 1)), c10::Error);
  EXPECT_THROW(whiten(g, random_tensor({6, 8}, 1)), c10::Error);
  EXPECT_THROW(colour(g, random_tensor({2, 1, 1, 1}, 1)), c10::Error);
}

}  // namespace
}  // namespace supn::test
