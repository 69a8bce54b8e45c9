#include "supn/gaussian/divergence.hpp"

#include "dense_oracle.hpp"

namespace supn::test {
namespace {

double dense_divergence(const StructuredGaussian& p, const StructuredGaussian& q, std::int64_t b) {
  const at::Tensor precision = dense_precision(q, b);
  const at::Tensor shift = q.mean()[b].sub(p.mean()[b]).reshape({-1});
  const double trace = precision.mul(dense_covariance(p, b)).sum().item<double>();
  const double square = shift.dot(precision.matmul(shift)).item<double>();
  const double determinants =
      dense_precision(p, b).logdet().item<double>() - precision.logdet().item<double>();
  return 0.5 * (trace + square - static_cast<double>(p.pixels()) + determinants);
}

struct Orders {
  Neighbourhood first;
  Neighbourhood second;
};

void PrintTo(const Orders& orders, std::ostream* out) {
  *out << orders.first.description() << " and " << orders.second.description();
}

class Divergence : public testing::TestWithParam<Orders> {};

TEST_P(Divergence, IsTheDenseOne) {
  const auto [first, second] = GetParam();
  for (const GaussianShape& shape : {GaussianShape{2, 6, 8}, {1, 2, 3}, {1, 1, 1}, {1, 5, 1}}) {
    const StructuredGaussian p = random_gaussian(first, shape, 1);
    const StructuredGaussian q = random_gaussian(second, shape, 100);
    const at::Tensor divergence = kl_divergence(p, q);
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      const double expected = dense_divergence(p, q, b);
      EXPECT_GT(expected, 0.0);
      EXPECT_NEAR(divergence[b].item<double>(), expected, 1e-11 * (1.0 + expected));
    }
  }
}

std::vector<Orders> all_pairs() {
  std::vector<Orders> pairs;
  for (const Neighbourhood& first : small_orders()) {
    for (const Neighbourhood& second : small_orders()) pairs.push_back({first, second});
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Pairs, Divergence, testing::ValuesIn(all_pairs()));

// Of more pixels than columns are solved at once, so that later ones begin below the first row.
TEST(KlDivergence, OfARasterFactorFromACoarseToFineOneIsTheDenseOneOnManyPixels) {
  const GaussianShape shape{1, 24, 30};
  const StructuredGaussian p = random_gaussian(Neighbourhood(2), shape, 1);
  const StructuredGaussian q = random_gaussian(Neighbourhood(CoarseToFine{}), shape, 100);
  const double expected = dense_divergence(p, q, 0);
  EXPECT_NEAR(kl_divergence(p, q).item<double>(), expected, 1e-10 * expected);
}

TEST(KlDivergence, OfAGaussianFromItselfIsZero) {
  const StructuredGaussian g = random_gaussian(2, {1, 20, 30});
  EXPECT_LT(largest(kl_divergence(g, g)), 1e-10);
}

TEST(KlDivergence, RefusesDifferentSizes) {
  EXPECT_THROW(kl_divergence(random_gaussian(1), random_gaussian(1, {2, 6, 7})), c10::Error);
  EXPECT_THROW(kl_divergence(random_gaussian(1), random_gaussian(1, {1, 6, 8})), c10::Error);
}

}  // namespace
}  // namespace supn::test
