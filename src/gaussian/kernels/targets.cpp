#include "gaussian/kernels/targets.hpp"

#include <hwy/highway.h>

namespace supn {

std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> sets;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    sets.push_back(left & -left);
  }
  return sets;
}

}  // namespace supn
