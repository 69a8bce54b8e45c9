#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/eval_app_test.hpp"

namespace supn {
namespace {

using namespace eval_test;
using ::testing::Contains;
using ::testing::HasSubstr;
using SupnEval = EvalAppTest;

TEST_F(SupnEval, GivesEnsembleAndTruthTheirRows) {
  const AppRun first = run({"--ensemble", "--truth", "--out", "out"});

  ASSERT_EQ(first.code, 0) << first.err;
  const Json result = table();
  ASSERT_EQ(row_name(result, 0), "ensemble");
  double mean_sigmoid = 0.0;
  double best = 1e9;
  for (const double logit : kMembers) {
    mean_sigmoid += sigmoid(logit) / 3.0;
    best = std::min(best, std::abs(depth_of(sigmoid(logit)) - kDepth) / kDepth);
  }
  EXPECT_NEAR(
      score(result, 0, "abs_rel"), std::abs(depth_of(mean_sigmoid) - kDepth) / kDepth, 1e-6);
  EXPECT_NEAR(score(result, 0, "abs_rel_best"), best, 1e-6);

  ASSERT_EQ(row_name(result, 1), "truth");
  // Members at −1, 0 and +1 true standard deviations.
  const double nats = -1.0 / 3.0 - std::log(kTrueStd) - 0.5 * std::log(2.0 * std::numbers::pi);
  EXPECT_NEAR(score(result, 1, "ll"), nats, 1e-6);
  EXPECT_NEAR(score(result, 1, "ll_sum"), nats * 3 * kHeight * kWidth, 1e-2);
  EXPECT_EQ(first.out, read_file(folder_ / "out/table.txt", 1 << 20));
}

TEST_F(SupnEval, GivesEachCheckpointARowAndItsDistanceToTheTruth) {
  save_network("run/best", {kHeight, kWidth});

  const AppRun result = run({"--checkpoint", "run/best/", "--ensemble", "--truth", "--out", "out"});

  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = table();
  ASSERT_EQ(row_name(json, 0), "run/best");
  EXPECT_NEAR(score(json, 0, "ll_gap"), score(json, 3, "ll") - score(json, 0, "ll"), 1e-9);
  EXPECT_GT(score(json, 0, "ratio_median"), 0.0);
  const std::string csv = read_file(folder_ / "out/per_image.csv", 1 << 20);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 5);
  EXPECT_THAT(files(), Contains("out/table.tex"));
  EXPECT_THAT(files(), Contains("out/table.csv"));
}

TEST_F(SupnEval, IsAFunctionOfItsSeedOnly) {
  save_network("run", {kHeight, kWidth});

  const AppRun one = run({"--checkpoint", "run", "--threads", "1"});
  const AppRun two = run({"--checkpoint", "run", "--threads", "2"});
  const AppRun other = run({"--checkpoint", "run", "--set", "evaluation.seed=1"});

  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
  EXPECT_NE(one.out, other.out);
}

TEST_F(SupnEval, LeavesExcludedMembersOutOfTheLikelihoodButNotOfTheEnsemble) {
  const AppRun all = run({"--ensemble", "--truth", "--out", "out"});
  ASSERT_EQ(all.code, 0) << all.err;
  const Json before = table();

  const AppRun fewer =
      run({"--ensemble", "--truth", "--out", "out", "--set", "data.exclude_members=[0, 2]"});

  ASSERT_EQ(fewer.code, 0) << fewer.err;
  EXPECT_EQ(score(table(), 0, "abs_rel"), score(before, 0, "abs_rel"));
  EXPECT_NEAR(score(table(), 1, "ll") - score(before, 1, "ll"), 1.0 / 3.0, 1e-6);
}

TEST_F(SupnEval, SkipsImagesWithoutGroundTruthAndNamesThem) {
  std::filesystem::remove(depth_file(1));

  const AppRun result = run({"--ensemble", "--out", "out"});

  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(table().at("caption").at("skipped for accuracy"),
            "1: " + drive() + "/image_02/0000000001");
  EXPECT_THAT(result.out, HasSubstr("images: 2, 1 of them with ground truth"));
}

TEST_F(SupnEval, CountsAnImageThatIsListedTwiceOnce) {
  write("test.txt", drive() + " 0 l\n" + drive() + " 1 l\n" + drive() + " 0 l\n");

  const AppRun result = run({"--ensemble", "--out", "out"});

  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("images: 2, 2 of them with ground truth"));
}

TEST_F(SupnEval, FailsWhereNoImageHasGroundTruth) {
  std::filesystem::remove(depth_file(0));
  std::filesystem::remove(depth_file(1));
  expect_user_error(run({"--ensemble"}), "no image of the split has ground truth");
}

TEST_F(SupnEval, RejectsWhatItCannotEvaluate) {
  expect_user_error(run({}), "nothing to evaluate");
  expect_user_error(run({"--ensemble", "--set", "data.samples=\"\""}), "data.samples is not set");
  expect_user_error(run({"--truth", "--set", "data.truth=\"\""}), "data.truth is not set");
  expect_user_error(run({"--checkpoint", "absent"}), "absent");
  expect_user_error(run({"--ensemble", "--known-points", "2"}), "rows are of a checkpoint");
  expect_user_error(run({"--ensemble", "--set", "evaluation.min_depth=200"}),
                    "evaluation.min_depth: expected less than evaluation.max_depth (100)");
  expect_user_error(run({"--ensemble", "--set", "data.test_split="}),
                    "add --set data.test_split=FILE");
  expect_user_error(run({"--ensemble", "--set", "data.exclude_members=[7]"}), "no member 7");
  save_network("run", {2 * kHeight, kWidth});
  expect_user_error(run({"--checkpoint", "run", "--out", "out"}), "was trained at 48x64");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(SupnEval, RefusesGroundTruthOfAnotherSizeThanItsImage) {
  write_depth_png(depth_file(1), at::full({2 * kHeight - 4, 2 * kWidth - 6}, kDepth));
  save_network("net", {kHeight, kWidth});
  const std::string fault = "expected the image's size, 96x64, found 90x60";
  expect_user_error(run({"--checkpoint", "net"}), fault);
  expect_user_error(run({"--ensemble"}), fault);
  expect_user_error(run({"--truth"}), fault);
}

TEST_F(SupnEval, RejectsDamagedFiles) {
  const auto samples = folder_ / "samples" / drive() / "image_02/0000000001/logit_0.npy";
  std::filesystem::resize_file(samples, 500);
  const AppRun result = run({"--ensemble", "--out", "out"});
  expect_user_error(result, "0000000001/logit_0.npy");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/table.txt"));
}

TEST_F(SupnEval, RejectsAnOutputThatCannotBeWritten) {
  write("file", "");
  expect_user_error(run({"--ensemble", "--out", "file/out"}), "file/out");
  // It is told before a temperature is fitted, which would stumble over the checkpoint.
  expect_user_error(
      run({"--checkpoint", "absent", "--fit-temperature", "members", "--out", "file/out"}),
      "file/out");
}

}  // namespace
}  // namespace supn
