#include "sparse_factor.hpp"

#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "gaussian/gaussian_fixture.hpp"

namespace supn::bench {
namespace {

TEST(SparseFactor, EqualsTheDenseFactorAtEverySize) {
  for (const auto& [height, width] :
       {std::pair{6, 8}, std::pair{5, 1}, std::pair{1, 5}, std::pair{4, 2}, std::pair{1, 1}}) {
    for (const std::int64_t radius : {0, 1, 2, 3}) {
      const StructuredGaussian gaussian = test::random_gaussian(radius, {1, height, width});
      const at::Tensor expected = test::dense_factor_transpose(gaussian, 0);
      const SparseFactor sparse = sparse_factor(gaussian);
      at::Tensor actual = at::zeros_like(expected);
      auto entry = actual.accessor<double, 2>();
      const auto pixels = static_cast<std::size_t>(sparse.pixels);
      ASSERT_EQ(sparse.column_start.size(), pixels + 1);
      for (std::size_t n = 0; n < pixels; ++n) {
        const std::span rows = std::span(sparse.row)
                                   .subspan(static_cast<std::size_t>(sparse.column_start[n]),
                                            static_cast<std::size_t>(sparse.column_start[n + 1] -
                                                                     sparse.column_start[n]));
        EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
        for (const std::int32_t& row : rows) {
          entry[static_cast<std::int64_t>(n)][row] =
              sparse.value[static_cast<std::size_t>(&row - sparse.row.data())];
        }
      }
      EXPECT_TRUE(actual.equal(expected)) << height << "x" << width << " radius " << radius;
    }
  }
}

TEST(SparseFactor, RejectsABatch) {
  EXPECT_ANY_THROW(sparse_factor(test::random_gaussian(1, {2, 4, 4})));
}

}  // namespace
}  // namespace supn::bench
