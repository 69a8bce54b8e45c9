#include "supn/gaussian/factor.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>

#include <limits>

#include "gaussian_fixture.hpp"
#include "instruction_set_fixture.hpp"

namespace supn::test {
namespace {

class FactorProduct : public GaussianTest {};

TEST_P(FactorProduct, TransposeTimesIsTheDenseProduct) {
  const StructuredGaussian g = gaussian();
  const at::Tensor x = field(g);
  const at::Tensor expected =
      dense_times(x, [&](std::int64_t b) { return dense_factor_transpose(g, b); });
  EXPECT_LT(largest_difference(factor_transpose_times(g, x), expected),
            GetParam().tolerance() * largest(expected));
}

TEST_P(FactorProduct, TimesIsTheDenseProduct) {
  const StructuredGaussian g = gaussian();
  const at::Tensor x = field(g);
  const at::Tensor expected =
      dense_times(x, [&](std::int64_t b) { return dense_factor_transpose(g, b).t(); });
  EXPECT_LT(largest_difference(factor_times(g, x), expected),
            GetParam().tolerance() * largest(expected));
}

TEST_P(FactorProduct, PrecisionTimesIsTheDenseProduct) {
  const StructuredGaussian g = gaussian();
  const at::Tensor x = field(g);
  const at::Tensor expected = dense_times(x, [&](std::int64_t b) {
    const at::Tensor transpose = dense_factor_transpose(g, b);
    return transpose.t().matmul(transpose);
  });
  EXPECT_LT(largest_difference(precision_times(g, x), expected),
            GetParam().tolerance() * largest(expected));
}

TEST_P(FactorProduct, TimesIsTheAdjointOfTransposeTimes) {
  const StructuredGaussian g = gaussian({2, 7, 5});
  const at::Tensor x = field(g);
  const at::Tensor y = field(g).flip({1, 3});
  const double left = factor_transpose_times(g, x).mul(y).to(at::kDouble).sum().item<double>();
  const double right = x.mul(factor_times(g, y)).to(at::kDouble).sum().item<double>();
  EXPECT_NEAR(left, right, GetParam().tolerance() * 1e3);
}

TEST_P(FactorProduct, NeighboursOutsideTheImageAreIgnoredEvenIfTheirMapsAreNaN) {
  const StructuredGaussian g = gaussian({1, 3, 4});
  at::Tensor poisoned = g.off_diagonal().clone();
  for (const PixelClass& pixels : g.neighbourhood().classes(g.size())) {
    for (std::int64_t y = pixels.row; y < 3; y += pixels.stride) {
      for (std::int64_t x = pixels.column; x < 4; x += pixels.stride) {
        for (std::size_t k = 0; k < pixels.offsets.size(); ++k) {
          const auto [dy, dx] = pixels.offsets[k];
          const bool inside = y + dy >= 0 && y + dy < 3 && x + dx >= 0 && x + dx < 4;
          if (!inside) poisoned[0][static_cast<std::int64_t>(k)][y][x] = NAN;
        }
      }
    }
  }
  const StructuredGaussian bad(g.mean(), g.log_diagonal(), poisoned, g.neighbourhood());
  const at::Tensor x = field(g);
  EXPECT_TRUE(factor_transpose_times(bad, x).equal(factor_transpose_times(g, x)));
  EXPECT_TRUE(factor_times(bad, x).equal(factor_times(g, x)));
}

TEST_P(FactorProduct, ImagesNarrowerThanTheWindowAreTheDenseProduct) {
  for (const GaussianShape& shape : {GaussianShape{1, 1, 1},
                                     GaussianShape{2, 5, 1},
                                     GaussianShape{1, 1, 5},
                                     GaussianShape{1, 2, 2}}) {
    const StructuredGaussian g = gaussian(shape);
    const at::Tensor x = field(g);
    const at::Tensor transpose =
        dense_times(x, [&](std::int64_t b) { return dense_factor_transpose(g, b); });
    const at::Tensor plain =
        dense_times(x, [&](std::int64_t b) { return dense_factor_transpose(g, b).t(); });
    EXPECT_LT(largest_difference(factor_transpose_times(g, x), transpose),
              GetParam().tolerance() * 10);
    EXPECT_LT(largest_difference(factor_times(g, x), plain), GetParam().tolerance() * 10);
  }
}

TEST_P(FactorProduct, BitsDoNotDependOnBatchSamplesAndThreads) {
  const StructuredGaussian g = gaussian({3, 37, 53});
  const at::Tensor x = field(g, 5);
  const ThreadCount one(1);
  const at::Tensor transpose = factor_transpose_times(g, x);
  const at::Tensor plain = factor_times(g, x);
  const ThreadCount many(3);
  EXPECT_TRUE(factor_transpose_times(g, x).equal(transpose));
  EXPECT_TRUE(factor_times(g, x).equal(plain));
  const at::Tensor alone = x.narrow(0, 2, 1).narrow(1, 3, 1);
  EXPECT_TRUE(factor_transpose_times(g.image(2), alone)[0][0].equal(transpose[2][3]));
  EXPECT_TRUE(factor_times(g.image(2), alone)[0][0].equal(plain[2][3]));
}

// Rows are wider than the widest vectors' blocks, at whose borders classes add to the same pixels.
TEST_P(FactorProduct, BitsDoNotDependOnTheInstructionSet) {
  const StructuredGaussian g = gaussian({1, 13, 150});
  const at::Tensor x = field(g, 2);
  const at::Tensor transpose = factor_transpose_times(g, x);
  const at::Tensor plain = factor_times(g, x);
  for_each_instruction_set([&] {
    EXPECT_TRUE(factor_transpose_times(g, x).equal(transpose));
    EXPECT_TRUE(factor_times(g, x).equal(plain));
  });
}

TEST_P(FactorProduct, StridedInputsGiveTheSameBits) {
  const StructuredGaussian g = gaussian();
  const auto strided = [](const at::Tensor& x) {
    return at::cat({x, x}, 3).transpose(2, 3).contiguous().transpose(2, 3).narrow(3, 0, x.size(3));
  };
  const StructuredGaussian s(
      strided(g.mean()), strided(g.log_diagonal()), strided(g.off_diagonal()), g.neighbourhood());
  const at::Tensor x = field(g);
  ASSERT_FALSE(strided(x).is_contiguous());
  EXPECT_TRUE(factor_transpose_times(s, strided(x)).equal(factor_transpose_times(g, x)));
  EXPECT_TRUE(factor_times(s, strided(x)).equal(factor_times(g, x)));
}

INSTANTIATE_TEST_SUITE_P(All, FactorProduct, testing::ValuesIn(all_cases()), case_name);

TEST(FactorProductContract, NamesAWrongShapeAndDtype) {
  const StructuredGaussian g = random_gaussian(1);
  EXPECT_THROW(factor_times(g, random_tensor({2, 1, 6, 7}, 1)), c10::Error);
  EXPECT_THROW(factor_times(g, random_tensor({2, 0, 6, 8}, 1)), c10::Error);
  EXPECT_THROW(factor_transpose_times(g, random_tensor({2, 1, 6, 8}, 1).to(at::kFloat)),
               c10::Error);
}

}  // namespace
}  // namespace supn::test
