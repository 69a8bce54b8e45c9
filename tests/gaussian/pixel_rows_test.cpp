// Covariances of chosen pixels from sparse rows of L⁻ᵀ against the dense oracle.
#include "gaussian/sparse/pixel_rows.hpp"

#include <gtest/gtest.h>

#include "dense_oracle.hpp"
#include "gaussian/in_float64.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn::test {
namespace {

using PixelRowsOf = testing::TestWithParam<std::int64_t>;

// Far pixels, near ones, one of the coarsest grid and one twice.
const std::vector<std::int64_t>& chosen_pixels() {
  static const std::vector<std::int64_t> pixels{16 * 56 + 16,
                                                0,
                                                1,
                                                55,
                                                20 * 56 + 30,
                                                21 * 56 + 30,
                                                39 * 56 + 55,
                                                39 * 56,
                                                20 * 56 + 30,
                                                8 * 56 + 8,
                                                33 * 56 + 41,
                                                5 * 56 + 2,
                                                6 * 56 + 2,
                                                7 * 56 + 50,
                                                30 * 56 + 30,
                                                31 * 56 + 31,
                                                2 * 56 + 17,
                                                38 * 56 + 9};
  return pixels;
}

TEST_P(PixelRowsOf, GiveTheDenseCovariance) {
  const StructuredGaussian g =
      random_gaussian(Neighbourhood(CoarseToFine{.classes = GetParam()}), {1, 40, 56});
  const at::Tensor index = pixel_tensor(chosen_pixels());
  const at::Tensor expected = dense_covariance(g).index_select(0, index).index_select(1, index);
  const FactorGraph graph(g);
  const at::Tensor ours = covariance_of(graph, rows_of_pixels(graph, chosen_pixels()));
  EXPECT_LT(largest_difference(ours, expected), 1e-10 * largest(expected));
}

TEST_P(PixelRowsOf, AddUpToTheSubstitution) {
  const StructuredGaussian g =
      random_gaussian(Neighbourhood(CoarseToFine{.classes = GetParam()}), {1, 40, 56});
  const FactorGraph graph(g);
  const PixelRows rows = rows_of_pixels(graph, chosen_pixels());
  const at::Tensor weights = random_tensor({3, rows.size()}, 7);
  const at::Tensor field = at::zeros({1, 3, 40, 56}, weights.options());
  field.view({3, -1}).index_add_(1, pixel_tensor(chosen_pixels()), weights);
  const at::Tensor expected = solve_factor(g, field).view({3, -1});
  EXPECT_LT(largest_difference(rows.transpose_times(weights), expected), 1e-10 * largest(expected));
  EXPECT_GT(rows.fine_entries(), rows.size());
}

TEST_P(PixelRowsOf, AreSplitWhereTheStrideIsCoarse) {
  const StructuredGaussian g =
      random_gaussian(Neighbourhood(CoarseToFine{.classes = GetParam()}), {1, 40, 56});
  const FactorGraph graph(g);
  // One, four, … noises of strides 32, 16, 8: the grid of stride 8 begins at the top left pixel.
  EXPECT_EQ(PixelRows(graph, chosen_pixels(), 64).coarse().size(1), 1 * 2);
  EXPECT_EQ(PixelRows(graph, chosen_pixels(), 8).coarse().size(1), 5 * 7);
  EXPECT_EQ(PixelRows(graph, chosen_pixels(), 1).coarse().size(1), 40 * 56);
}

INSTANTIATE_TEST_SUITE_P(Classes, PixelRowsOf, testing::Values(3, 12));

TEST(PlaceOnCurve, PutsAQuarterOfTheImageBeforeTheNext) {
  // Pixels of the top left 4 × 4 come before all others.
  for (std::int64_t y = 0; y < 4; ++y) {
    for (std::int64_t x = 0; x < 4; ++x) {
      EXPECT_LT(place_on_curve(y * 56 + x, 56), 16);
    }
  }
  EXPECT_EQ(place_on_curve(4, 56), 16);
  EXPECT_EQ(place_on_curve(4 * 56, 56), 32);
}

}  // namespace
}  // namespace supn::test
