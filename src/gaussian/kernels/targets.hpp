// The instruction sets that the kernels are compiled for; to be included before any header of
// Highway.
//
// Every kernel is one source, compiled once per set through hwy/foreach_target.h and chosen when
// the program runs. Sets without a fused multiply-add are left out, since emulating one costs more
// than their vectors gain: such processors take the portable form, one lane at a time. So are
// vectors of a length that the compiler doesn't know, which can't be kept in arrays.
#pragma once

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#include <cstdint>
#include <vector>

namespace supn {

// Returns those of them that this processor has, best first, the portable form last, as values for
// hwy::SetSupportedTargetsForTest().
std::vector<std::int64_t> instruction_sets();

}  // namespace supn
