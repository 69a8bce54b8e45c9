#include "training/run/run_state.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "supn/errors.hpp"

namespace supn {
namespace {

std::string fault(const std::string& steps) {
  try {
    run_state_from_json("{\"finished_epochs\": 1, \"finished_steps\": " + steps + "}",
                        "progress.json");
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

TEST(RunStateText, HoldsCountsOnly) {
  EXPECT_EQ(fault("7"), "");
  for (const std::string steps : {"-1", "1.5", "1e300", "18446744073709551615", "true", "\"7\""}) {
    EXPECT_THAT(fault(steps), testing::StartsWith("progress.json: is not the progress")) << steps;
    EXPECT_THAT(fault(steps), testing::HasSubstr("finished_steps: expected a whole number in 0"));
  }
  EXPECT_LT(fault('"' + std::string(5000, 'x') + '"').size(), 500U);
}

TEST(RunStateText, ReadsWhatWasNotFiniteAsInfinity) {
  RunState state;
  state.best = BestEpoch{1, {}};
  state.best->report.mean_l1 = std::numeric_limits<double>::quiet_NaN();
  state.best->report.log_likelihood = {1.5, std::numeric_limits<double>::infinity()};
  const RunState read = run_state_from_json(to_json(state), "progress.json");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(read.best->report.mean_l1, kInfinity);
  EXPECT_EQ(read.best->report.log_likelihood, (std::vector<double>{1.5, kInfinity}));
}

TEST(RunStateText, ReadsBack) {
  RunState state;
  state.progress = {3, 40};
  state.epoch.steps = 2;
  state.epoch.terms = {0.1, 0.2};
  state.train = SplitMark{12, "0123456789abcdef"};
  const RunState read = run_state_from_json(to_json(state), "progress.json");
  EXPECT_EQ(read.progress.finished_steps, 40);
  EXPECT_EQ(read.epoch.terms, state.epoch.terms);
  EXPECT_EQ(read.train, state.train);
  EXPECT_FALSE(read.best.has_value());
}

}  // namespace
}  // namespace supn
