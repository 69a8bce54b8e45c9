#include "supn/gaussian/philox.hpp"

#include <gtest/gtest.h>

namespace supn {
namespace {

// Known answers: Random123's kat_vectors, "philox4x32 10".
TEST(Philox4x32, GivesTheKnownAnswers) {
  using Words = Philox4x32::Words;
  EXPECT_EQ(Philox4x32::random_words({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(Philox4x32::random_words({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32::random_words({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                                     {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox4x32, SplitsSeedsAndCountersLowHalfFirst) {
  EXPECT_EQ(Philox4x32::key_of(0x0000000200000001), (Philox4x32::Key{1, 2}));
  EXPECT_EQ(Philox4x32::counter_of(0x0000000200000001, 0x0000000400000003),
            (Philox4x32::Words{1, 2, 3, 4}));
}

}  // namespace
}  // namespace supn
