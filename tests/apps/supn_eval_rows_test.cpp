// Rows and files of supn_eval beyond its first table.
#include <gmock/gmock.h>

#include "apps/eval_app_test.hpp"

namespace supn {
namespace {

using namespace eval_test;
using ::testing::Contains;
using ::testing::HasSubstr;
using SupnEvalRows = EvalAppTest;

TEST_F(SupnEvalRows, FiguresDoNotHangOnThreadsInAnyDigit) {
  save_network("run", {kHeight, kWidth});
  const auto csv = [&](const std::string& threads) {
    const AppRun result = run({"--checkpoint",
                               "run",
                               "--ensemble",
                               "--truth",
                               "--known-points",
                               "25",
                               "--threads",
                               threads,
                               "--out",
                               "out"});
    EXPECT_EQ(result.code, 0) << result.err;
    return read_file(folder_ / "out/per_image.csv", 1 << 20) +
           read_file(folder_ / "out/curves.csv", 1 << 24) +
           read_file(folder_ / "out/intervals.csv", 1 << 20);
  };
  EXPECT_EQ(csv("1"), csv("3"));
}

TEST_F(SupnEvalRows, FitsATemperatureAndAppliesIt) {
  save_network("run", {kHeight, kWidth});
  const std::vector<std::string> fit = {"--checkpoint",
                                        "run",
                                        "--out",
                                        "out",
                                        "--set",
                                        "data.val_split=test.txt",
                                        "--fit-temperature"};
  const AppRun before = run({"--checkpoint", "run", "--out", "out"});
  ASSERT_EQ(before.code, 0) << before.err;
  const double untempered = score(table(), 0, "ll");

  const AppRun first = run(fit);

  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NEAR(score(table(), 0, "z_variance"), 1.0, 1e-5);
  EXPECT_GT(score(table(), 0, "ll"), untempered + 0.01);
  const std::string kept = read_file(folder_ / "run/temperature.json", 1 << 16);
  EXPECT_NEAR(Json::parse(kept).at("ll_before").as_double(), untempered, 1e-5);
  EXPECT_NEAR(Json::parse(kept).at("ll_after").as_double(), score(table(), 0, "ll"), 1e-5);
  // Fitted anew, it is the same and not one on top of the other.
  ASSERT_EQ(run(fit).code, 0);
  EXPECT_NEAR(score(table(), 0, "z_variance"), 1.0, 1e-5);
  EXPECT_THAT(first.out, HasSubstr("temperature of run: "));
  expect_user_error(run({"--checkpoint", "a=run", "--checkpoint", "a=run"}),
                    "two rows of the table would be called 'a'");
  expect_user_error(run({"--ensemble", "--fit-temperature"}), "give --checkpoint DIR");
}

TEST_F(SupnEvalRows, GivesRowsForKnownPointsAndWritesCurves) {
  save_network("run", {kHeight, kWidth});

  const AppRun result = run({"--checkpoint",
                             "mine=run",
                             "--known-points",
                             "100,25",
                             "--ensemble-variants",
                             "--jacobi",
                             "200",
                             "--out",
                             "out"});

  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(row_name(table(), 1), "mine, 25 points");
  EXPECT_EQ(row_name(table(), 2), "mine, 100 points");
  EXPECT_EQ(row_name(table(), 3), "ensemble, empirical");
  // The truth is one depth everywhere, so that known points help.
  EXPECT_LT(score(table(), 1, "abs_rel"), score(table(), 0, "abs_rel"));
  EXPECT_LT(score(table(), 2, "abs_rel"), score(table(), 1, "abs_rel"));
  EXPECT_LT(score(table(), 0, "jacobi_residual"), 1e-4);
  for (const char* name : {"out/curves.csv",
                           "out/intervals.csv",
                           "out/differences.csv",
                           "out/coverage_regions.png",
                           "out/sparsification_abs_rel.png"}) {
    EXPECT_THAT(files(), Contains(name));
  }
}

TEST_F(SupnEvalRows, MeasuresTheDistanceToTheTruth) {
  save_network("run", {kHeight, kWidth});
  const AppRun result = run({"--checkpoint", "run", "--truth", "--out", "out"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_GT(score(table(), 0, "kl"), 0.0);
  EXPECT_GT(score(table(), 0, "std_error"), 0.0);
  EXPECT_GT(score(table(), 0, "covariance_error"), 0.0);
}

TEST_F(SupnEvalRows, ScoresASecondEnsemble) {
  const AppRun result = run({"--truth", "--second-samples", "samples", "--out", "out"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NEAR(score(table(), 0, "ll_b"), score(table(), 0, "ll"), 1e-9);
  expect_user_error(run({"--truth", "--second-samples", "absent"}), "absent");
  expect_user_error(run({"--baselines"}), "at least 4");
}

}  // namespace
}  // namespace supn
