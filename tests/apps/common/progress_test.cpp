#include "common/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace supn {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// Time that passes when told to.
class ProgressTest : public ::testing::Test {
 protected:
  ProgressOutput output(ProgressStyle style) {
    return {&stream_, style, std::chrono::seconds(10), [this] { return now_; }};
  }
  void wait(std::int64_t seconds) { now_ += std::chrono::seconds(seconds); }

  std::ostringstream stream_;
  std::chrono::steady_clock::time_point now_;
};

TEST_F(ProgressTest, WritesAtMostOneLinePerInterval) {
  Progress progress("images", 20, output(ProgressStyle::kLines));
  for (int i = 0; i < 9; ++i) {
    wait(2);
    progress.advance(1, "loss 0.5");
  }
  EXPECT_EQ(stream_.str(), "images 25% 5/20 0.50/s, 0:30 left, loss 0.5\n");
}

TEST_F(ProgressTest, ClosesWithTheTotalTime) {
  Progress progress("images", 2, output(ProgressStyle::kLines));
  wait(5);
  progress.advance(2);
  progress.finish();
  progress.finish();
  EXPECT_EQ(stream_.str(), "images 100% 2/2 0.40/s, took 0:05\n");
}

TEST_F(ProgressTest, LeavesSkippedStepsOutOfTheSpeed) {
  Progress progress("images", 100, output(ProgressStyle::kLines));
  progress.skip(50);
  wait(10);
  progress.advance(10);
  EXPECT_EQ(stream_.str(), "images 60% 60/100 1.0/s, 0:40 left\n");
}

TEST_F(ProgressTest, DrawsABarOverItself) {
  {
    Progress progress("images", 2, output(ProgressStyle::kBar));
    wait(10);
    progress.advance();
    EXPECT_THAT(stream_.str(),
                EndsWith("\r\033[Kimages 50% [============>           ] 1/2 0.10/s, 0:10 left"));
  }
  EXPECT_THAT(stream_.str(), EndsWith("left\n"));
}

TEST_F(ProgressTest, HasNothingToDivideForAnEmptyLoop) {
  Progress progress("images", 0, output(ProgressStyle::kLines));
  progress.finish();
  EXPECT_EQ(stream_.str(), "images 100% 0/0, took 0:00\n");
}

TEST(FormatDuration, ShowsHoursOnlyWhereThereAreSome) {
  EXPECT_EQ(format_duration(std::chrono::seconds(0)), "0:00");
  EXPECT_EQ(format_duration(std::chrono::seconds(75)), "1:15");
  EXPECT_EQ(format_duration(std::chrono::seconds(3700)), "1:01:40");
}

}  // namespace
}  // namespace supn
