#include "common/run_app.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/progress.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

struct Call {
  std::vector<const char*> arguments = {};
  DeclareOptions declare = [](CLI::App&) {};
  AppBody body = [](const SharedOptions&) { return 0; };
};

int run_call(const Call& call) {
  std::vector<const char*> argv = {"/some/where/supn_test"};
  argv.insert(argv.end(), call.arguments.begin(), call.arguments.end());
  return run_app({.name = "supn_test", .summary = "Tests.", .example = "supn_test --number 3"},
                 {static_cast<int>(argv.size()), argv.data()},
                 call.declare,
                 call.body);
}

Outcome outcome_of(const Call& call) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int code = run_call(call);
  return {code, ::testing::internal::GetCapturedStdout(), ::testing::internal::GetCapturedStderr()};
}

Outcome outcome_of_throwing(const std::function<void()>& thrower) {
  return outcome_of({.body = [&](const SharedOptions&) {
    thrower();
    return 0;
  }});
}

TEST(RunApp, ReturnsWhatTheBodyReturns) {
  EXPECT_EQ(outcome_of({}).code, 0);
  EXPECT_EQ(outcome_of({.body = [](const SharedOptions&) { return 1; }}).code, 1);
}

TEST(RunApp, GivesTheBodyTheSharedFlags) {
  SharedOptions seen;
  int threads = 0;
  const Call call{.arguments = {"--device", "cpu", "--threads", "1", "--log-level", "error"},
                  .body = [&](const SharedOptions& shared) {
                    seen = shared;
                    threads = at::get_num_threads();
                    spdlog::warn("too low to show");
                    spdlog::error("shows");
                    return 0;
                  }};

  const Outcome outcome = outcome_of(call);

  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(seen.device.is_cpu());
  EXPECT_EQ(seen.threads, 1);
  EXPECT_EQ(threads, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("error: shows"), ::testing::Not(HasSubstr("too low"))));
}

TEST(RunApp, LeavesConvolutionsInFloat32) {
  at::globalContext().setAllowTF32CuDNN(true);  // as LibTorch starts
  bool rounds = true;
  outcome_of({.arguments = {"--device", "cpu"}, .body = [&](const SharedOptions&) {
                rounds = at::globalContext().allowTF32CuDNN();
                return 0;
              }});
  EXPECT_FALSE(rounds);
}

TEST(RunApp, ReportsAUsersErrorInOneLine) {
  const Outcome io =
      outcome_of_throwing([] { throw IoError("a.png", "is cut off;\nget another"); });
  const Outcome config = outcome_of_throwing([] { throw ConfigError("a.yaml:3: x: bad"); });
  const Outcome disk =
      outcome_of_throwing([] { std::filesystem::directory_iterator("/no/such/folder"); });

  EXPECT_EQ(io.code, 1);
  EXPECT_EQ(io.err, "supn_test: a.png: is cut off; get another\n");
  EXPECT_EQ(config.code, 1);
  EXPECT_EQ(config.err, "supn_test: a.yaml:3: x: bad\n");
  EXPECT_EQ(disk.code, 1);
  EXPECT_THAT(disk.err, HasSubstr("/no/such/folder"));
}

TEST(RunApp, ReportsABugWithAHint) {
  const Outcome check = outcome_of_throwing([] { TORCH_CHECK(false, "solve: expected 3, got 4"); });
  const Outcome other = outcome_of_throwing([] { throw std::logic_error("odd"); });

  EXPECT_EQ(check.code, 2);
  EXPECT_THAT(check.err,
              AllOf(StartsWith("supn_test: internal error"),
                    HasSubstr("solve: expected 3, got 4\n"),
                    HasSubstr("--log-level debug")));
  EXPECT_EQ(std::count(check.err.begin(), check.err.end(), '\n'), 1);
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("odd"));
}

TEST(RunApp, ReportsOutOfMemoryAsAUsersError) {
  const Outcome outcome = outcome_of_throwing([] { throw std::bad_alloc(); });

  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("out of memory"));
}

TEST(RunApp, ReportsBadFlagsInOneLine) {
  for (const char* flag : {"--nonsense", "extra", "--threads=-1", "--threads=many"}) {
    const Outcome outcome = outcome_of({.arguments = {flag}});
    EXPECT_EQ(outcome.code, 1) << flag;
    EXPECT_THAT(outcome.err, AllOf(StartsWith("supn_test: "), HasSubstr("--help"))) << flag;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_THAT(outcome_of({.arguments = {"--log-level", "loud"}}).err, HasSubstr("trace, debug"));
  EXPECT_THAT(outcome_of({.arguments = {"--device", "tpu"}}).err, HasSubstr("cuda:<index>"));
}

TEST(RunApp, ShowsDefaultsAndExampleInHelp) {
  int number = 7;
  const DeclareOptions declare = [&](CLI::App& options) {
    options.add_option("--number", number, "a number");
  };

  const Outcome outcome = outcome_of({.arguments = {"--help"}, .declare = declare});

  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("--number INT=7"),
                    HasSubstr("--device TEXT=auto"),
                    HasSubstr("Example:\n  supn_test --number 3")));
}

TEST(RunApp, ShowsTheVersion) {
  const Outcome outcome = outcome_of({.arguments = {"--version"}});

  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out,
              ::testing::MatchesRegex("supn_test [0-9.]+ \\(git [0-9a-z-]+\\), "
                                      "LibTorch [0-9.]+, CUDA .+\n"));
}

TEST(RunApp, UnderstandsSharedFlagsAfterASubcommand) {
  const DeclareOptions declare = [](CLI::App& options) {
    options.add_subcommand("check", "checks");
  };

  EXPECT_EQ(outcome_of({.arguments = {"check", "--threads", "1"}, .declare = declare}).code, 0);
}

TEST(RunApp, TakesNumbersAsPeopleWriteThem) {
  std::uint64_t seed = 1;
  std::int64_t count = 8;
  double noise = 0.02;
  const DeclareOptions declare = [&](CLI::App& options) {
    options.add_option("--seed", seed);
    options.add_option("--count", count)->check(CLI::Range(1, 100));
    options.add_option("--noise", noise)->type_name("STD")->check(CLI::Range(0.0, 1.0));
  };
  const auto call = [&](const char* option, const char* text) {
    return outcome_of({.arguments = {option, text}, .declare = declare});
  };
  for (const char* text : {"-1", "18446744073709551616", "010", "0x10", "1.5", "one", ""}) {
    EXPECT_EQ(call("--seed", text).code, 1) << text;
    EXPECT_EQ(seed, 1U) << text;
  }
  EXPECT_THAT(call("--seed", "-1").err, HasSubstr("--seed: expected a whole number from 0 to"));
  for (const char* text : {"010", "nan", "101", "8 "}) EXPECT_EQ(call("--count", text).code, 1);
  for (const char* text : {"nan", "inf", "-nan", "1.1", "0.1x"}) {
    EXPECT_EQ(call("--noise", text).code, 1) << text;
  }
  EXPECT_THAT(call("--noise", "nan").err, HasSubstr("--noise: expected a number, got 'nan'"));
  EXPECT_EQ(call("--seed", "18446744073709551615").code, 0);
  EXPECT_EQ(seed, 18446744073709551615U);
  EXPECT_EQ(call("--noise", "5e-1").code, 0);
  EXPECT_EQ(noise, 0.5);
  EXPECT_EQ(call("--count", "10").code, 0);
  EXPECT_EQ(count, 10);
}

TEST(RunApp, StopsAtTheNextStepAfterAnInterrupt) {
  const AppBody body = [](const SharedOptions&) {
    std::ostringstream stream;
    Progress progress("steps", 2, {&stream, ProgressStyle::kLines, std::chrono::hours(1)});
    std::raise(SIGINT);
    progress.advance();
    return 0;
  };

  EXPECT_EXIT(std::exit(run_call({.body = body})),
              ::testing::ExitedWithCode(130),
              "supn_test: interrupted");
}

}  // namespace
}  // namespace supn
