#include "common/teardown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

#ifndef SUPN_SANITIZE
TEST(Teardown, OfBeforeIsSkippedOfLaterIsDoneAndTheExitCodeKept) {
  EXPECT_EXIT(
      {
        std::atexit([] { std::fputs("teardown of before", stderr); });
        skip_teardown_at_exit();
        std::atexit([] { std::fputs("teardown of later", stderr); });
        std::setvbuf(stderr, nullptr, _IOFBF, 4096);
        std::exit(3);
      },
      ::testing::ExitedWithCode(3),
      AllOf(HasSubstr("of later"), Not(HasSubstr("of before"))));
}
#endif

}  // namespace
}  // namespace supn
