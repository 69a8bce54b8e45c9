// Tests of bits run for every instruction set that the processor has, and for the portable form.
#pragma once

#include "gaussian/kernels/targets.hpp"
// Below targets.hpp, which says which sets there are.
#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace supn::test {

// Makes the kernels use one set while it lives.
class InstructionSet {
 public:
  explicit InstructionSet(std::int64_t set) { hwy::SetSupportedTargetsForTest(set); }
  ~InstructionSet() { hwy::SetSupportedTargetsForTest(0); }
  InstructionSet(const InstructionSet&) = delete;
  InstructionSet& operator=(const InstructionSet&) = delete;
};

template <typename Check>
void for_each_instruction_set(const Check& check) {
  for (const std::int64_t set : instruction_sets()) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, hwy::TargetName(set));
    const InstructionSet only(set);
    check();
  }
}

// f() in the portable form.
template <typename Function>
auto in_portable_form(const Function& f) {
  const InstructionSet only(instruction_sets().back());
  return f();
}

}  // namespace supn::test
