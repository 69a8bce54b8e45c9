// Rows and files of supn_eval beyond its first table.
#include <ATen/Context.h>
#include <gmock/gmock.h>

#include <cstddef>
#include <map>
#include <string>

#include "apps/eval_app_test.hpp"

namespace supn {
namespace {

using namespace eval_test;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
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
                                        "--fit-temperature",
                                        "members"};
  const AppRun before = run({"--checkpoint", "run", "--out", "out"});
  ASSERT_EQ(before.code, 0) << before.err;
  const double untempered = score(table(), 0, "ll");

  const AppRun first = run(fit);

  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NEAR(score(table(), 0, "z_variance"), 1.0, 1e-5);
  EXPECT_GT(score(table(), 0, "ll"), untempered + 0.01);
  const std::string kept = read_file(folder_ / "run/temperature.json", 1 << 16);
  EXPECT_NEAR(parse_json(kept).at("ll_before").get<double>(), untempered, 1e-5);
  EXPECT_NEAR(parse_json(kept).at("ll_after").get<double>(), score(table(), 0, "ll"), 1e-5);
  // Fitted anew, it is the same and not one on top of the other.
  ASSERT_EQ(run(fit).code, 0);
  EXPECT_NEAR(score(table(), 0, "z_variance"), 1.0, 1e-5);
  EXPECT_THAT(first.out, HasSubstr("calibration of run: members, temperature "));
  expect_user_error(run({"--checkpoint", "a=run", "--checkpoint", "a=run"}),
                    "two rows of the table would be called 'a'");
  expect_user_error(run({"--ensemble", "--fit-temperature", "members"}), "give --checkpoint DIR");
}

TEST_F(SupnEvalRows, SaysWhereKnownPointsAreTooManyAndTakesACountGivenTwiceOnce) {
  save_network("run", {kHeight, kWidth});
  const AppRun twice =
      run({"--log-level", "warn", "--checkpoint", "run", "--known-points", "10,10"});
  ASSERT_EQ(twice.code, 0) << twice.err;
  EXPECT_THAT(twice.err, Not(HasSubstr("too little ground truth")));
  const AppRun many =
      run({"--log-level", "warn", "--checkpoint", "run", "--known-points", "100000"});
  ASSERT_EQ(many.code, 0) << many.err;
  EXPECT_THAT(many.err, HasSubstr("too little ground truth"));
}

TEST_F(SupnEvalRows, FitsATemperatureToTheTruthForWhatIsJudgedByIt) {
  save_network("run", {kHeight, kWidth});
  const std::vector<std::string> evaluate = {"--checkpoint", "run", "--out", "out"};
  ASSERT_EQ(run(evaluate).code, 0);
  const double likelihood = score(table(), 0, "ll");
  const double density = score(table(), 0, "truth_joint_nll");

  std::vector<std::string> fit = evaluate;
  fit.insert(fit.end(), {"--set", "data.val_split=test.txt", "--fit-temperature", "truth"});
  const AppRun first = run(fit);

  ASSERT_EQ(first.code, 0) << first.err;
  const Json kept = parse_json(read_file(folder_ / "run/temperature_truth.json", 1 << 16));
  EXPECT_GT(kept.at("points"), 0);
  EXPECT_GE(kept.at("ll_after").get<double>(), kept.at("ll_before").get<double>());
  EXPECT_GT(kept.at("isotropic").at("length").get<double>(), 0.0);
  EXPECT_GT(kept.at("tails").at("width").get<double>(), 0.0);
  // The members' figures are those of the network as it is, the truth's are not.
  EXPECT_EQ(score(table(), 0, "ll"), likelihood);
  EXPECT_LT(score(table(), 0, "truth_joint_nll"), density);
  EXPECT_THAT(first.out, HasSubstr("against ground truth and given known points: truth, "));
  // By wish everything is: twice as wide or narrow in the members' eyes, too.
  std::vector<std::string> by_truth = evaluate;
  by_truth.insert(by_truth.end(), {"--calibrated-on", "truth"});
  const AppRun wished = run(by_truth);
  ASSERT_EQ(wished.code, 0) << wished.err;
  EXPECT_NE(score(table(), 0, "ll"), likelihood);
  expect_user_error(run({"--checkpoint", "run", "--calibrated-on", "members"}),
                    "fit it with supn_eval --fit-temperature members");
  // Tailed quantiles change intervals given points, and nothing else.
  const auto given = [&](const std::string& quantiles) {
    EXPECT_EQ(run({"--checkpoint",
                   "run",
                   "--known-points",
                   "100",
                   "--quantiles",
                   quantiles,
                   "--out",
                   "out"})
                  .code,
              0);
    return std::pair{score(table(), 2, "abs_rel"), score(table(), 2, "depth_width")};
  };
  const auto gaussian = given("gaussian");
  const auto tailed = given("tailed");
  EXPECT_EQ(tailed.first, gaussian.first);
  EXPECT_NE(tailed.second, gaussian.second);
}

TEST_F(SupnEvalRows, GivesRowsForKnownPointsAndWritesCurves) {
  save_network("run", {kHeight, kWidth});
  expect_user_error(run({"--checkpoint", "run", "--known-points", "25", "--quantiles", "tailed"}),
                    "fit its temperature to the truth");

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
  EXPECT_EQ(row_name(table(), 1), "mine, depth itself");
  EXPECT_EQ(row_name(table(), 2), "mine, 25 points");
  EXPECT_EQ(row_name(table(), 3), "mine, 25 points: interpolation of log depth");
  EXPECT_EQ(row_name(table(), 6), "mine, 100 points");
  EXPECT_EQ(row_name(table(), 10), "ensemble, empirical");
  // The truth is one depth everywhere, so that known points help, and any interpolation finds it.
  EXPECT_LT(score(table(), 2, "abs_rel"), score(table(), 0, "abs_rel"));
  EXPECT_LT(score(table(), 6, "abs_rel"), score(table(), 2, "abs_rel"));
  EXPECT_NEAR(score(table(), 3, "abs_rel"), 0.0, 1e-6);
  EXPECT_GT(score(table(), 6, "depth_width"), 0.0);
  EXPECT_LT(score(table(), 6, "depth_width"), score(table(), 0, "depth_width"));
  EXPECT_THAT(result.out, HasSubstr("AbsRel against interpolation of log depth: "));
  EXPECT_LT(score(table(), 0, "jacobi_residual"), 1e-4);
  for (const char* name : {"out/curves.csv",
                           "out/intervals.csv",
                           "out/differences.csv",
                           "out/coverage_regions.svg",
                           "out/sparsification_abs_rel.svg"}) {
    EXPECT_THAT(files(), Contains(name));
  }
}

TEST_F(SupnEvalRows, GivesRowsForKnownPointsAsRobotsHaveThem) {
  at::manual_seed(3);
  save_network("run", {kHeight, kWidth});
  write("kitti/2011_09_26/calib_cam_to_cam.txt",
        "S_rect_02: 96 64\nR_rect_00: 1 0 0 0 1 0 0 0 1\n"
        "P_rect_02: 300 0 48 0 0 300 4 0 0 0 1 0\n");
  write("kitti/2011_09_26/calib_velo_to_cam.txt", "R: 0 -1 0 0 0 -1 1 0 0\nT: 0 0 0\n");

  const AppRun result = run({"--checkpoint",
                             "m=run",
                             "--known-points",
                             "20,40",
                             "--outliers",
                             "0.1",
                             "--gate",
                             "1",
                             "--active",
                             "--scale-prior",
                             "0.3",
                             "--lidar-beams",
                             "16,4",
                             "--out",
                             "out"});

  ASSERT_EQ(result.code, 0) << result.err;
  std::map<std::string, std::size_t> rows;
  for (std::size_t row = 0; row < table().at("rows").size(); ++row) {
    rows[row_name(table(), row)] = row;
  }
  const auto of = [&](const std::string& row, const std::string& key) {
    return score(table(), rows.at("m, " + row), key);
  };
  // The truth is one depth everywhere, so that what is wrong is seen.
  EXPECT_NE(of("40 points, outliers", "abs_rel"), of("40 points", "abs_rel"));
  // An untrained network may be too unsure to tell them apart.
  EXPECT_GE(of("40 points, outliers, gated", "gate_dropped"), 0.0);
  EXPECT_LE(of("40 points, outliers, gated", "gate_recall"), 1.0);
  EXPECT_LT(of("40 points", "variance_left"), of("20 points", "variance_left"));
  EXPECT_LT(of("20 points", "variance_left"), 1.0);
  EXPECT_LT(of("20 active points", "variance_left"), of("20 points", "variance_left"));
  EXPECT_LT(of("40 points, unknown scale", "std_of_log_scale"), 0.3);
  EXPECT_GT(of("4 beams", "abs_rel"), 0.0);
  EXPECT_LT(of("16 beams", "depth_width"), of("4 beams", "depth_width"));
  EXPECT_NEAR(of("16 beams: interpolation of log depth", "abs_rel"), 0.0, 1e-6);
  EXPECT_THAT(result.out, HasSubstr("beams: of the scanner's 64"));
  expect_user_error(run({"--checkpoint", "run", "--known-noise", "0.1"}), "has no effect without");
  expect_user_error(run({"--checkpoint", "run", "--lidar-beams", "3"}), "--lidar-beams");
  write("kitti/2011_09_26/calib_cam_to_cam.txt",
        "S_rect_02: 96 60\nR_rect_00: 1 0 0 0 1 0 0 0 1\n"
        "P_rect_02: 300 0 48 0 0 300 4 0 0 0 1 0\n");
  expect_user_error(run({"--checkpoint", "run", "--lidar-beams", "4"}),
                    "has depth of 96x64 pixels");
}

TEST_F(SupnEvalRows, MeasuresTheDistanceToTheTruth) {
  save_network("run", {kHeight, kWidth});
  const AppRun result = run({"--checkpoint", "run", "--truth", "--out", "out"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_GT(score(table(), 0, "kl"), 0.0);
  EXPECT_GT(score(table(), 0, "std_error"), 0.0);
  EXPECT_GT(score(table(), 0, "covariance_error"), 0.0);
}

// A kernel that reaches no other pixel is white noise: all figures are those of the factor of the same
// deviation.
TEST_F(SupnEvalRows, TakesAKernelInPlaceOfAFactorForTheTruth) {
  save_network("run", {kHeight, kWidth});
  const std::vector<std::string> evaluate{"--checkpoint", "run", "--truth", "--out", "out"};
  ASSERT_EQ(run(evaluate).code, 0);
  const Json of_factor = table();
  for (const int frame : {0, 1}) {
    const at::Tensor map = at::full({kHeight, kWidth}, kTrueStd);
    write_safetensors(truth_file(frame),
                      {{{"mean", at::full({kHeight, kWidth}, -2.5)},
                        {"std", map},
                        {"range", at::full({kHeight, kWidth}, 0.1)},
                        {"feature", map}},
                       {{"nugget", "0.02"}}});
  }

  const AppRun result = run(evaluate);

  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* key : {"ll_gap", "kl", "std_error", "covariance_error"}) {
    EXPECT_NEAR(score(table(), 0, key), score(of_factor, 0, key), 1e-5) << key;
  }
}

TEST_F(SupnEvalRows, RefusesADamagedKernel) {
  const at::Tensor map = at::full({kHeight, kWidth}, 0.5);
  const auto with = [&](const at::Tensor& std, const std::string& nugget) {
    write_safetensors(
        truth_file(0),
        {{{"mean", map}, {"std", std}, {"range", map}, {"feature", map}}, {{"nugget", nugget}}});
    return run({"--truth", "--out", "out"});
  };
  expect_user_error(with(map, "2"), "nugget");
  expect_user_error(with(map - 0.5, "0.02"), "not positive");
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
