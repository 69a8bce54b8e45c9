#include "gaussian/band_cholesky.hpp"

#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_inv.h>

#include "dense_oracle.hpp"

namespace supn::test {
namespace {

struct BandSize {
  std::int64_t n;
  std::int64_t bandwidth;
};

void PrintTo(const BandSize& size, std::ostream* out) {
  *out << size.n << " unknowns, band " << size.bandwidth;
}

class Band : public testing::TestWithParam<BandSize> {
 protected:
  // Diagonally dominant, symmetric, dense [n,n].
  at::Tensor matrix() const {
    const auto [n, bandwidth] = GetParam();
    const at::Tensor random = random_tensor({n, n}, 3).tril().triu(-bandwidth);
    const double weight = 10.0 * std::sqrt(static_cast<double>(bandwidth + 1));
    return random.add(random.t()).add(at::eye(n, random.options()), weight);
  }
  BandCholesky band(const at::Tensor& dense) const {
    const auto [n, bandwidth] = GetParam();
    BandCholesky result(n, bandwidth);
    const auto value = dense.accessor<double, 2>();
    for (std::int64_t row = 0; row < n; ++row) {
      for (std::int64_t column = std::max<std::int64_t>(0, row - bandwidth); column <= row;
           ++column) {
        result.entry(row, column) = value[row][column];
      }
    }
    return result;
  }
};

TEST_P(Band, SolvesAndInvertsLikeTheDenseMatrix) {
  const at::Tensor dense = matrix();
  BandCholesky cholesky = band(dense);
  ASSERT_TRUE(cholesky.factorize());
  const at::Tensor inverse = at::linalg_inv(dense);
  const at::Tensor b = random_tensor({GetParam().n, 3}, 4);
  EXPECT_LT(relative_error(cholesky.solve(b), inverse.matmul(b)), 1e-12);
  EXPECT_LT(relative_error(cholesky.inverse_diagonal(), inverse.diagonal()), 1e-12);
  const double determinant = dense.logdet().item<double>();
  EXPECT_NEAR(cholesky.log_determinant(), determinant, 1e-11 * std::abs(determinant) + 1e-12);
}

TEST_P(Band, RefusesAMatrixThatIsNotPositiveDefinite) {
  at::Tensor dense = matrix();
  dense[GetParam().n - 1][GetParam().n - 1].fill_(-1.0);
  BandCholesky cholesky = band(dense);
  EXPECT_FALSE(cholesky.factorize());
}

// One unknown, whole and broken tiles of both sizes, bands of a part of a tile and of several.
INSTANTIATE_TEST_SUITE_P(Sizes,
                         Band,
                         testing::Values(BandSize{1, 0},
                                         BandSize{16, 3},
                                         BandSize{50, 0},
                                         BandSize{50, 17},
                                         BandSize{97, 96},
                                         BandSize{400, 130},
                                         BandSize{640, 300}));

TEST(BandCholesky, OfNothingIsEmpty) {
  BandCholesky cholesky(0, 0);
  EXPECT_TRUE(cholesky.factorize());
  EXPECT_EQ(cholesky.log_determinant(), 0.0);
  EXPECT_EQ(cholesky.solve(random_tensor({0, 2}, 1)).numel(), 0);
  EXPECT_EQ(cholesky.inverse_diagonal().numel(), 0);
}

TEST(BandCholesky, SaysWhatItTakes) {
  EXPECT_EQ(BandCholesky::bytes(1280, 255), 10 * 3 * 128 * 128 * 8);
}

}  // namespace
}  // namespace supn::test
