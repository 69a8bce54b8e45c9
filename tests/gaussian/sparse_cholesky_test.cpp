#include "gaussian/sparse/sparse_cholesky.hpp"

#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/zeros.h>

#include "dense_oracle.hpp"

namespace supn::test {
namespace {

struct SparseCase {
  GaussianShape shape;
  std::int64_t radius;
  std::int64_t leaf;
  std::int64_t every;  // pixel that takes no part; 0: none
};

void PrintTo(const SparseCase& c, std::ostream* out) {
  *out << c.shape.height << " x " << c.shape.width << ", radius " << c.radius << ", leaf " << c.leaf
       << ", left out " << c.every;
}

class Sparse : public testing::TestWithParam<SparseCase> {
 protected:
  StructuredGaussian gaussian() const {
    return random_gaussian(GetParam().radius, GetParam().shape, 7);
  }
  std::int64_t pixels() const { return GetParam().shape.height * GetParam().shape.width; }
  // Pixels that take part.
  at::Tensor unknown() const {
    std::vector<std::int64_t> result;
    for (std::int64_t n = 0; n < pixels(); ++n) {
      if (GetParam().every == 0 || n % GetParam().every != 0) result.push_back(n);
    }
    return indices(result);
  }
  SparseCholesky cholesky(const StencilMatrix& matrix) const {
    std::vector<bool> mask(static_cast<std::size_t>(pixels()), false);
    const at::Tensor part = unknown();
    for (std::int64_t i = 0; i < part.size(0); ++i) {
      mask[static_cast<std::size_t>(part[i].item<std::int64_t>())] = true;
    }
    return {matrix, Dissection(matrix.size(), matrix.reach(), mask, GetParam().leaf)};
  }
  at::Tensor dense() const {
    return dense_precision(gaussian()).index_select(0, unknown()).index_select(1, unknown());
  }
};

TEST_P(Sparse, SolvesAndInvertsLikeTheDenseMatrix) {
  SparseCholesky ours = cholesky(precision_matrix(gaussian()));
  ASSERT_TRUE(ours.factorize());
  const at::Tensor inverse = at::linalg_inv(dense());
  const at::Tensor b = random_tensor({11, pixels()}, 4);
  const at::Tensor expected = b.index_select(1, unknown()).matmul(inverse);
  const at::Tensor solved = ours.solve(b);
  EXPECT_LT(relative_error(solved.index_select(1, unknown()), expected), 1e-11);
  const at::Tensor variance = ours.inverse_diagonal();
  EXPECT_LT(relative_error(variance.index_select(0, unknown()), inverse.diagonal()), 1e-11);
  const double determinant = dense().logdet().item<double>();
  EXPECT_NEAR(ours.log_determinant(), determinant, 1e-11 * std::abs(determinant) + 1e-11);
  if (GetParam().every == 0) return;
  EXPECT_EQ(solved.select(1, 0).abs().max().item<double>(), 0.0);
  EXPECT_EQ(variance[0].item<double>(), 0.0);
}

TEST_P(Sparse, GivesTheSameBitsForEveryNumberOfThreads) {
  const at::Tensor b = random_tensor({2, pixels()}, 5);
  const auto results = [&](int threads) {
    const ThreadCount count(threads);
    SparseCholesky ours = cholesky(precision_matrix(gaussian()));
    EXPECT_TRUE(ours.factorize());
    return std::pair{ours.solve(b), ours.inverse_diagonal()};
  };
  const auto one = results(1);
  const auto three = results(3);
  EXPECT_TRUE(one.first.equal(three.first));
  EXPECT_TRUE(one.second.equal(three.second));
}

TEST_P(Sparse, RefusesAMatrixThatIsNotPositiveDefinite) {
  StencilMatrix matrix = precision_matrix(gaussian());
  matrix.values[0][GetParam().shape.height - 1][GetParam().shape.width - 1].fill_(-1.0);
  EXPECT_FALSE(cholesky(matrix).factorize());
}

// One front; many small ones; fronts of several panels of columns.
INSTANTIATE_TEST_SUITE_P(Shapes,
                         Sparse,
                         testing::Values(SparseCase{{1, 1, 2}, 2, 128, 0},
                                         SparseCase{{1, 9, 11}, 1, 4, 0},
                                         SparseCase{{1, 17, 23}, 2, 10, 0},
                                         SparseCase{{1, 17, 22}, 2, 10, 3},
                                         SparseCase{{1, 20, 14}, 3, 20, 0},
                                         SparseCase{{1, 6, 9}, 0, 5, 0},
                                         SparseCase{{1, 32, 40}, 2, 128, 4},
                                         SparseCase{{1, 20, 20}, 2, 1000, 0}));

TEST(SparseCholesky, OfNothingIsEmpty) {
  const StencilMatrix matrix = precision_matrix(random_gaussian(1, {1, 3, 4}));
  SparseCholesky ours(matrix, Dissection({3, 4}, {1, 2}, std::vector<bool>(12, false)));
  EXPECT_TRUE(ours.factorize());
  EXPECT_EQ(ours.log_determinant(), 0.0);
  EXPECT_EQ(largest(ours.solve(random_tensor({2, 12}, 1))), 0.0);
  EXPECT_EQ(largest(ours.inverse_diagonal()), 0.0);
}

class PrecisionMatrix : public ByRadius {};

TEST_P(PrecisionMatrix, IsTheDenseOne) {
  const StructuredGaussian g = random_gaussian(GetParam(), {1, 5, 7});
  const StencilMatrix matrix = precision_matrix(g);
  at::Tensor rebuilt = at::zeros({35, 35}, matrix.values.options());
  for (std::size_t c = 0; c < matrix.offsets.size(); ++c) {
    const auto [dy, dx] = matrix.offsets[c];
    for (std::int64_t n = 0; n < 35; ++n) {
      const std::int64_t x = n % 7 + dx;
      if (n / 7 + dy >= 5 || x < 0 || x >= 7) continue;
      const at::Tensor value = matrix.values[static_cast<std::int64_t>(c)][n / 7][n % 7];
      rebuilt[n][n + dy * 7 + dx].copy_(value);
      rebuilt[n + dy * 7 + dx][n].copy_(value);
    }
  }
  EXPECT_LT(largest_difference(rebuilt, dense_precision(g)), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Radius, PrecisionMatrix, testing::Range<std::int64_t>(0, 4));

}  // namespace
}  // namespace supn::test
