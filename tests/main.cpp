// Runs what the command line selects. Exit code 77, CTest's sign for a skipped test, if all of a
// suite was skipped: one that needs a GPU or the shared data must not look as if it had passed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "common/teardown.hpp"

namespace {

bool is_suite_skipped(const testing::UnitTest& tests) {
  for (int i = 0; i < tests.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *tests.GetTestSuite(i);
    if (suite.should_run() && suite.skipped_test_count() == suite.test_to_run_count()) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  supn::skip_teardown_at_exit();
  testing::InitGoogleMock(&argc, argv);
  const int result = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  if (tests.test_to_run_count() == 0) {
    std::cerr << "no test has this name\n";
    return 1;
  }
  constexpr int kSkipped = 77;
  return result == 0 && is_suite_skipped(tests) ? kSkipped : result;
}
