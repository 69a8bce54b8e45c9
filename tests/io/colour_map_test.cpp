#include "supn/io/colour_map.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace supn {
namespace {

using Rgb = std::vector<int>;

Rgb colour_of(double value, const ColourRange& range, ColourMap colours) {
  const at::Tensor rgb = colourise(at::full({1, 1}, value, at::kDouble), range, colours);
  return {rgb[0][0][0].item<int>(), rgb[0][0][1].item<int>(), rgb[0][0][2].item<int>()};
}

TEST(Colourise, EndsAreTheMapsEnds) {
  EXPECT_EQ(colour_of(2.0, {2.0, 4.0}, ColourMap::kGrey), (Rgb{0, 0, 0}));
  EXPECT_EQ(colour_of(4.0, {2.0, 4.0}, ColourMap::kGrey), (Rgb{255, 255, 255}));
  EXPECT_EQ(colour_of(2.0, {2.0, 4.0}, ColourMap::kMagma), (Rgb{0, 0, 4}));  // 0.0139 of 255
  EXPECT_EQ(colour_of(4.0, {2.0, 4.0}, ColourMap::kMagma), (Rgb{252, 253, 191}));
  EXPECT_EQ(colour_of(2.0, {2.0, 4.0}, ColourMap::kMagmaReversed), (Rgb{252, 253, 191}));
  EXPECT_EQ(colour_of(2.0, {2.0, 4.0}, ColourMap::kViridis), (Rgb{68, 1, 84}));
  EXPECT_EQ(colour_of(4.0, {2.0, 4.0}, ColourMap::kViridis), (Rgb{253, 231, 37}));
  EXPECT_EQ(colour_of(2.0, {2.0, 4.0}, ColourMap::kTurbo), (Rgb{48, 18, 59}));
  EXPECT_EQ(colour_of(4.0, {2.0, 4.0}, ColourMap::kTurbo), (Rgb{122, 4, 3}));
}

TEST(Colourise, RedBlueIsBlueBelowWhiteInTheMiddleRedAbove) {
  const Rgb low = colour_of(-1.0, {-1.0, 1.0}, ColourMap::kRedBlue);
  const Rgb middle = colour_of(0.0, {-1.0, 1.0}, ColourMap::kRedBlue);
  const Rgb high = colour_of(1.0, {-1.0, 1.0}, ColourMap::kRedBlue);

  EXPECT_GT(low[2], low[0]);
  EXPECT_GT(high[0], high[2]);
  for (const int channel : middle) EXPECT_GT(channel, 240);
}

TEST(Colourise, ClampsBeyondTheRange) {
  EXPECT_EQ(colour_of(-7.0, {0.0, 1.0}, ColourMap::kGrey), (Rgb{0, 0, 0}));
  EXPECT_EQ(colour_of(7.0, {0.0, 1.0}, ColourMap::kGrey), (Rgb{255, 255, 255}));
}

TEST(Colourise, ShowsValuesThatAreNotFiniteInAColourOfTheirOwn) {
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(colour_of(value, {0.0, 1.0}, ColourMap::kMagma), (Rgb{255, 0, 255}));
  }
}

TEST(Colourise, SignedRootSpreadsSmallDeviations) {
  const ColourRange range{-1.0, 1.0, ColourScaling::kSignedRoot};

  // 0.5 + 0.5·√0.25 = 0.75 of the palette.
  EXPECT_EQ(colour_of(0.25, range, ColourMap::kGrey)[0], 191);
  EXPECT_EQ(colour_of(-0.25, range, ColourMap::kGrey)[0], 64);
}

TEST(Colourise, LogarithmicGivesEqualRatiosEqualSteps) {
  const ColourRange range{1.0, 100.0, ColourScaling::kLogarithmic};
  const at::Tensor map = at::tensor({0.0, 1.0, 10.0, 100.0, 1000.0}, at::kDouble).view({1, 5});
  const at::Tensor grey = colourise(map, range, ColourMap::kGrey).select(2, 0).to(at::kLong);
  EXPECT_TRUE(grey.equal(at::tensor({0, 0, 128, 255, 255}, at::kLong).view({1, 5}))) << grey;
  const ColourRange with_zero{0.0, 1.0, ColourScaling::kLogarithmic};
  EXPECT_THROW(colourise(map, with_zero, ColourMap::kGrey), c10::Error);
}

TEST(Colourise, DrawsARangeWithoutExtent) {
  EXPECT_EQ(colour_of(3.0, {3.0, 3.0}, ColourMap::kGrey), (Rgb{0, 0, 0}));
  EXPECT_EQ(colour_of(3.5, {3.0, 3.0}, ColourMap::kGrey), (Rgb{255, 255, 255}));
}

TEST(Colourise, ReadsStridedMapsInPlaceOrder) {
  const at::Tensor map = at::arange(6, at::kFloat).view({2, 3});

  const at::Tensor direct = colourise(map.t(), {0.0, 5.0}, ColourMap::kViridis);

  EXPECT_TRUE(at::equal(direct, colourise(map, {0.0, 5.0}, ColourMap::kViridis).transpose(0, 1)));
}

TEST(Colourise, RefusesAnUpsideDownRangeAndAnotherShape) {
  EXPECT_THROW(colourise(at::zeros({2, 2}), {1.0, 0.0}, ColourMap::kGrey), c10::Error);
  EXPECT_THROW(colourise(at::zeros({1, 2, 2}), {0.0, 1.0}, ColourMap::kGrey), c10::Error);
}

TEST(PercentileRange, InterpolatesAndLeavesOutWhatIsNotFinite) {
  at::Tensor values = at::arange(11, at::kDouble);
  values = at::cat({values, at::full({3}, std::nan(""), at::kDouble)});

  const ColourRange range = percentile_range(values, 5.0, 95.0);

  EXPECT_DOUBLE_EQ(range.low, 0.5);
  EXPECT_DOUBLE_EQ(range.high, 9.5);
}

TEST(PercentileRange, IsTheUnitRangeWithoutFiniteValues) {
  const ColourRange range = percentile_range(at::full({2, 2}, std::nan("")), 0.0, 100.0);

  EXPECT_EQ(range.low, 0.0);
  EXPECT_EQ(range.high, 1.0);
}

TEST(SymmetricRange, ReachesTheLargestMagnitude) {
  const ColourRange range = symmetric_range(at::tensor({-4.0, 1.0, 3.0}), 100.0);

  EXPECT_EQ(range.low, -4.0);
  EXPECT_EQ(range.high, 4.0);
}

}  // namespace
}  // namespace supn
