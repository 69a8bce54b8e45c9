#include "gaussian/sparse/nested_dissection.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <set>

namespace supn::test {
namespace {

struct DissectionCase {
  ImageSize size;
  Offset reach;
  std::int64_t every;  // pixel that is known; 0: none
};

void PrintTo(const DissectionCase& c, std::ostream* out) {
  *out << c.size.height << " x " << c.size.width << ", reach " << c.reach.dy << ", " << c.reach.dx
       << ", known " << c.every;
}

class NestedDissection : public testing::TestWithParam<DissectionCase> {
 protected:
  static constexpr std::int64_t kSmallLeaf = 6;

  std::int64_t pixels() const { return GetParam().size.height * GetParam().size.width; }
  std::vector<bool> unknown() const {
    std::vector<bool> result(static_cast<std::size_t>(pixels()), true);
    for (std::int64_t n = 0; GetParam().every > 0 && n < pixels(); n += GetParam().every) {
      result[static_cast<std::size_t>(n)] = false;
    }
    return result;
  }
  Dissection dissection() const {
    return {GetParam().size, GetParam().reach, unknown(), kSmallLeaf};
  }
  bool are_coupled(std::int64_t a, std::int64_t b) const {
    const std::int64_t width = GetParam().size.width;
    return std::abs(a / width - b / width) <= GetParam().reach.dy &&
           std::abs(a % width - b % width) <= GetParam().reach.dx;
  }
};

TEST_P(NestedDissection, EliminatesEveryUnknownPixelOnce) {
  const Dissection cut = dissection();
  std::vector<bool> seen(static_cast<std::size_t>(pixels()), false);
  for (const Front& front : cut.fronts()) {
    for (const std::int64_t pixel : front.own) {
      EXPECT_FALSE(seen[static_cast<std::size_t>(pixel)]);
      seen[static_cast<std::size_t>(pixel)] = true;
    }
  }
  EXPECT_EQ(seen, unknown());
}

// What a pixel is coupled with and is eliminated later must be in its front.
TEST_P(NestedDissection, FrontsHoldWhatTheirPixelsAreCoupledWith) {
  const Dissection cut = dissection();
  std::vector<bool> done(static_cast<std::size_t>(pixels()), false);
  const std::vector<bool> open = unknown();
  for (const Front& front : cut.fronts()) {
    std::set<std::int64_t> held(front.boundary.begin(), front.boundary.end());
    held.insert(front.own.begin(), front.own.end());
    for (const std::int64_t pixel : front.own) {
      for (std::int64_t n = 0; n < pixels(); ++n) {
        const auto other = static_cast<std::size_t>(n);
        if (open[other] && !done[other] && are_coupled(pixel, n)) {
          EXPECT_EQ(held.count(n), 1) << pixel << " and " << n;
        }
      }
    }
    for (const std::int64_t pixel : front.own) done[static_cast<std::size_t>(pixel)] = true;
  }
}

TEST_P(NestedDissection, BoundariesAreInTheParentInItsOrder) {
  const Dissection cut = dissection();
  for (const Front& parent : cut.fronts()) {
    for (const std::int64_t index : parent.children) {
      const Front& child = cut.fronts()[static_cast<std::size_t>(index)];
      ASSERT_EQ(child.boundary.size(), child.parent_rows.size());
      std::int64_t before = -1;
      for (std::size_t i = 0; i < child.boundary.size(); ++i) {
        const std::int64_t row = child.parent_rows[i];
        EXPECT_GT(row, before);
        before = row;
        const bool is_own = row < parent.own_rows();
        const auto place = static_cast<std::size_t>(is_own ? row : row - parent.own_rows());
        EXPECT_EQ((is_own ? parent.own : parent.boundary).at(place), child.boundary[i]);
      }
    }
  }
}

TEST_P(NestedDissection, SubtreesAreApart) {
  const Dissection cut = dissection();
  std::int64_t end = 0;
  for (const std::int64_t root : cut.subtrees(4)) {
    EXPECT_GE(cut.fronts()[static_cast<std::size_t>(root)].first, end);
    end = root + 1;
  }
  EXPECT_EQ(cut.subtrees(1),
            std::vector<std::int64_t>{static_cast<std::int64_t>(cut.fronts().size()) - 1});
}

INSTANTIATE_TEST_SUITE_P(All,
                         NestedDissection,
                         testing::Values(DissectionCase{{1, 1}, {2, 4}, 0},
                                         DissectionCase{{1, 60}, {1, 2}, 0},
                                         DissectionCase{{40, 1}, {2, 4}, 0},
                                         DissectionCase{{12, 31}, {2, 4}, 0},
                                         DissectionCase{{31, 12}, {1, 2}, 3},
                                         DissectionCase{{15, 15}, {3, 6}, 2},
                                         DissectionCase{{9, 14}, {0, 0}, 0}));

TEST(NestedDissection, OfNothingHasNoFronts) {
  const Dissection cut({3, 4}, {1, 2}, std::vector<bool>(12, false));
  EXPECT_TRUE(cut.fronts().empty());
  EXPECT_EQ(cut.bytes(), 0);
  EXPECT_TRUE(cut.subtrees(1).empty());
}

TEST(NestedDissection, TakesAFractionOfABand) {
  const ImageSize size{96, 320};
  const Dissection cut(size, {2, 4}, std::vector<bool>(96 * 320, true));
  const double band = 4.0 * 96.0;
  EXPECT_LT(cut.multiply_adds(), 0.5 * 96 * 320 * band * band / 2);
}

}  // namespace
}  // namespace supn::test
