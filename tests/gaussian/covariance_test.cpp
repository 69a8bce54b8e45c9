#include "supn/gaussian/covariance.hpp"

#include "dense_oracle.hpp"
#include "golden_fixture.hpp"

namespace supn::test {
namespace {

using Covariance = ByOrder;

TEST_P(Covariance, CovarianceColumnsAreDenseRows) {
  const StructuredGaussian g = random_gaussian(GetParam());
  const at::Tensor pixels = indices({0, 47, 19, 19});
  const at::Tensor columns = covariance_columns(g, pixels);
  for (std::int64_t b = 0; b < g.batch(); ++b) {
    const at::Tensor expected = dense_covariance(g, b).index_select(0, pixels);
    EXPECT_LT(relative_error(columns.select(0, b).reshape({4, -1}), expected), 1e-12);
  }
}

TEST_P(Covariance, CorrelationColumnsAreScaledDenseRows) {
  const StructuredGaussian g = random_gaussian(GetParam());
  const at::Tensor pixels = indices({3, 30});
  const at::Tensor columns = correlation_columns(g, pixels);
  for (std::int64_t b = 0; b < g.batch(); ++b) {
    const at::Tensor covariance = dense_covariance(g, b);
    const at::Tensor deviation = covariance.diagonal().sqrt();
    const at::Tensor expected =
        covariance.div(deviation).div(deviation.unsqueeze(1)).index_select(0, pixels);
    EXPECT_LT(largest_difference(columns.select(0, b).reshape({2, -1}), expected), 1e-12);
    EXPECT_EQ(columns[b][1][3][6].item<double>(), 1.0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Covariance, testing::ValuesIn(small_orders()), small_order_name);

TEST(CovarianceColumns, AreFloat64WithoutAGraph) {
  const at::Tensor columns = covariance_columns(random_gaussian(1).to(at::kFloat), indices({5}));
  EXPECT_EQ(columns.scalar_type(), at::kDouble);
  EXPECT_FALSE(columns.requires_grad());
}

TEST(CovarianceColumns, RefusePixelsOutside) {
  const StructuredGaussian g = random_gaussian(1);
  EXPECT_THROW(covariance_columns(g, indices({48})), c10::Error);
  EXPECT_THROW(covariance_columns(g, indices({-1})), c10::Error);
  EXPECT_THROW(covariance_columns(g, indices({})), c10::Error);
  EXPECT_THROW(covariance_columns(g, numbers({1.0})), c10::Error);
}

using GoldenCovariance = GoldenGaussian;

TEST_P(GoldenCovariance, Row) {
  const at::Tensor column = covariance_columns(gaussian(), indices({5 * 17 + 8}));
  EXPECT_LT(largest_difference(column, field("cov_row_5_8")), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Radius, GoldenCovariance, testing::Values(1, 2));

}  // namespace
}  // namespace supn::test
