#include "timing.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

namespace supn::bench {
namespace {

// A competitor that claims the given seconds in turn, and counts how often it was asked.
struct Script {
  std::vector<double> seconds;
  std::size_t asked = 0;
};

Competitor scripted(const std::shared_ptr<Script>& script, double units = 1) {
  auto next = [script] { return script->seconds[script->asked++ % script->seconds.size()]; };
  return {"scripted", "", {}, next, units};
}

std::shared_ptr<Script> script(std::vector<double> seconds) {
  return std::make_shared<Script>(Script{std::move(seconds)});
}

TEST(Spread, IsMedianAndQuantiles) {
  std::vector<double> values;
  for (int i = 100; i >= 0; --i) values.push_back(i);
  const Spread result = spread(values);
  EXPECT_DOUBLE_EQ(result.median, 50);
  EXPECT_DOUBLE_EQ(result.low, 5);
  EXPECT_DOUBLE_EQ(result.high, 95);
  EXPECT_DOUBLE_EQ(spread({3, 1}).median, 2);
  EXPECT_ANY_THROW(spread({}));
}

TEST(TimePairs, TakesTheRatioWithinEachPair) {
  // Both slow down together: the ratio does not notice.
  const PairedTimes times =
      time_pairs(scripted(script({1, 10, 2})), scripted(script({4, 40, 8})), {0, 3, 3});
  EXPECT_EQ(times.pairs, 3);
  EXPECT_DOUBLE_EQ(times.ratio.median, 4);
  EXPECT_DOUBLE_EQ(times.ratio.low, 4);
  EXPECT_DOUBLE_EQ(times.ratio.high, 4);
  EXPECT_DOUBLE_EQ(times.ours.median, 2);
  EXPECT_DOUBLE_EQ(times.peer.median, 8);
}

TEST(TimePairs, CountsPerUnit) {
  const PairedTimes times =
      time_pairs(scripted(script({8}), 64), scripted(script({1}), 2), {0, 2, 2});
  EXPECT_DOUBLE_EQ(times.ours.median, 0.125);
  EXPECT_DOUBLE_EQ(times.ratio.median, 4);
}

TEST(TimePairs, StopsAtItsBudgetButHasItsLeastPairs) {
  EXPECT_EQ(time_pairs(scripted(script({1})), scripted(script({1})), {0, 5, 9}).pairs, 5);
  EXPECT_EQ(time_pairs(scripted(script({1})), scripted(script({1})), {60, 5, 9}).pairs, 9);
}

TEST(Fastest, IsTheVariantOfLeastTime) {
  Competitor slow = scripted(script({0.2}));
  Competitor fast = scripted(script({0.1}));
  fast.settings = "fast";
  EXPECT_EQ(fastest({slow, fast}).settings, "fast");
  EXPECT_EQ(fastest({fast, slow}).settings, "fast");
  EXPECT_ANY_THROW(fastest({}));
}

TEST(Clocked, MeasuresOneRunOfItsWork) {
  int runs = 0;
  const auto seconds = clocked([&] {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  const double measured = seconds();
  EXPECT_GE(measured, 2e-3);
  EXPECT_GE(runs, 2) << "short work is warmed up";
}

TEST(Clocked, RunsLongWorkOnce) {
  int runs = 0;
  const auto seconds = clocked([&] {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  });
  EXPECT_GE(seconds(), 60e-3);
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace supn::bench
