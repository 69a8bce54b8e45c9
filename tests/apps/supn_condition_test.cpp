#include <ATen/ops/equal.h>

#include "apps/condition_app_test.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST_F(SupnCondition, GivesThePosteriorOfAListOfPoints) {
  write("points.csv", "x,y,depth_m\n3,2,4\n10,7,5.5\n");

  const AppRun done = run({"--known",
                           "points.csv",
                           "--scale",
                           "fixed:5.4",
                           "--quantity",
                           "logit",
                           "--samples",
                           "3",
                           "--seed",
                           "5",
                           "--out",
                           "o"});

  ASSERT_EQ(done.code, 0) << done.err;
  const at::Tensor pixels = at::tensor({2 * kWidth + 3, 7 * kWidth + 10}, at::kLong);
  const at::Tensor values = at::tensor({logit_of(4.0), logit_of(5.5)}, at::kDouble);
  ConditionedGaussian expected(gaussian_, {pixels, values});
  EXPECT_TRUE(
      at::allclose(array("o/g/mean.npy").to(at::kDouble), expected.mean()[0][0], 1e-5, 1e-5));
  EXPECT_TRUE(at::allclose(
      array("o/g/std.npy").to(at::kDouble), expected.variance()[0][0].sqrt(), 1e-5, 1e-5));
  const at::Tensor samples = expected.samples(image_seed(5, "g"), {0, 3})[0];
  EXPECT_TRUE(at::allclose(array("o/g/samples.npy").to(at::kDouble), samples, 1e-5, 1e-5));
  const nlohmann::json info = json("o/g/info.json");
  EXPECT_NEAR(info["log_evidence_nats"], expected.log_evidence(), 1e-6);
  EXPECT_EQ(info["scale"], kScale);
  EXPECT_EQ(info["conditioning"]["method"], "dense");
  EXPECT_EQ(info["points"]["known"], 2);
  EXPECT_TRUE(info["held_back_after"].is_null());
  EXPECT_GT(read_rgb(folder_ / "o/g.png").size(1), 600);
}

TEST_F(SupnCondition, WritesDepthInMetresWithKnownPointsAsMeasured) {
  write("points.csv", "x,y,depth_m\n3,2,4\n");

  ASSERT_EQ(run({"--known", "points.csv", "--scale", "fixed:5.4", "--out", "o"}).code, 0);

  EXPECT_NEAR(array("o/g/mean.npy")[2][3].item<double>(), 4.0, 1e-4);
  EXPECT_EQ(array("o/g/std.npy")[2][3].item<double>(), 0.0);
  EXPECT_NEAR(read_depth_png(folder_ / "o/g/mean.png")[2][3].item<double>(), 4.0, 0.003);
  EXPECT_EQ(json("o/g/info.json")["unit"], "m");
  EXPECT_THAT(files(), Contains("o/g/sample_0007.png"));
  EXPECT_THAT(read_file(folder_ / "o/g/known.csv", 1000), HasSubstr("x,y,depth_m\n3,2,4\n"));
}

TEST_F(SupnCondition, JudgesByThePointsHeldBack) {
  write_depth();

  const AppRun done = run({"--depth",
                           "depth.png",
                           "--count-known",
                           "30",
                           "--noise-relative",
                           "0.01",
                           "--scale",
                           "fixed:5.4",
                           "--protocol",
                           "eigen_benchmark",
                           "--log-level",
                           "info",
                           "--out",
                           "o"});

  ASSERT_EQ(done.code, 0) << done.err;
  const nlohmann::json info = json("o/g/info.json");
  EXPECT_EQ(info["points"]["known"], 30);
  EXPECT_EQ(info["points"]["measurements_on_the_maps"], kHeight * kWidth);
  EXPECT_EQ(info["points"]["merged"], 3 * kHeight * kWidth);
  EXPECT_THAT(done.err,
              HasSubstr("576 measured points fell on a pixel of the maps that has another: the "
                        "nearest is taken"));
  EXPECT_EQ(info["held_back_before"]["points"], 4 * (kHeight * kWidth - 30));
  EXPECT_LT(info["held_back_after"]["abs_rel"].get<double>(),
            0.5 * info["held_back_before"]["abs_rel"].get<double>());
}

TEST_F(SupnCondition, ChoosesTheScaleThatTheRuleSays) {
  write_depth();
  const auto scale_of = [&](const std::string& rule) {
    EXPECT_EQ(
        run({"--depth", "depth.png", "--scale", rule, "--noise-relative", "0.05", "--out", rule})
            .code,
        0);
    return json(rule + "/g/info.json")["scale"].get<double>();
  };
  // The field is 0.3 logits nearer than the mean says: about 0.78 of the depth.
  EXPECT_NEAR(scale_of("median"), 5.4 * 0.775, 0.06);
  EXPECT_EQ(scale_of("fixed:7"), 7.0);
  EXPECT_EQ(scale_of("auto"), 5.4);
}

TEST_F(SupnCondition, LeavesOutWhatNoLogitExpresses) {
  write("far.csv", "x,y,depth_m\n3,2,900\n9,8,4\n");
  write("near.csv", "x,y,depth_m\n9,8,4\n");
  for (const char* list : {"far", "near"}) {
    const AppRun done = run({"--known",
                             std::string(list) + ".csv",
                             "--scale",
                             "fixed:5.4",
                             "--quantity",
                             "logit",
                             "--out",
                             list});
    ASSERT_EQ(done.code, 0) << done.err;
  }
  EXPECT_EQ(json("far/g/info.json")["points"]["out_of_range"], 1);
  EXPECT_TRUE(at::equal(array("far/g/mean.npy"), array("near/g/mean.npy")));
}

TEST_F(SupnCondition, GatesAPointThatContradictsTheOthers) {
  write("points.csv", "x,y,depth_m\n5,5,4.4\n6,5,4.4\n7,5,40\n8,5,4.4\n9,5,4.4\n");

  ASSERT_EQ(run({"--known",
                 "points.csv",
                 "--scale",
                 "fixed:5.4",
                 "--noise-relative",
                 "0.01",
                 "--gate",
                 "5",
                 "--out",
                 "o"})
                .code,
            0);

  const nlohmann::json points = json("o/g/info.json")["points"];
  ASSERT_EQ(points["gated"].size(), 1U) << points;
  EXPECT_EQ(points["gated"][0]["x"], 7);
  EXPECT_GT(points["gated"][0]["distance"], 5.0);
  EXPECT_EQ(points["known"], 4);
  EXPECT_THAT(read_file(folder_ / "o/g/known.csv", 1000), HasSubstr("# gated: 7,5,40\n"));
}

TEST_F(SupnCondition, MethodsAgreeAndSayWhatTheyAre) {
  write_depth();
  const auto mean_by = [&](const std::string& method) {
    const AppRun done = run({"--depth",
                             "depth.png",
                             "--count-known",
                             "40",
                             "--noise-relative",
                             "0.02",
                             "--select",
                             "active",
                             "--method",
                             method,
                             "--log-level",
                             "info",
                             "--out",
                             method});
    EXPECT_EQ(done.code, 0) << done.err;
    const nlohmann::json how = json(method + "/g/info.json")["conditioning"];
    EXPECT_EQ(how["method"], method);
    EXPECT_GT(how["relative_residual"], 0.0);
    EXPECT_LT(how["relative_residual"], 1e-9);
    EXPECT_THAT(done.err,
                HasSubstr(method == "pcg" ? "holds mean and 8 samples given"
                                          : "holds mean, std and 8 samples given"));
    return array(method + "/g/mean.npy");
  };
  const at::Tensor dense = mean_by("dense");
  EXPECT_TRUE(at::allclose(mean_by("sparse"), dense, 1e-5));
  EXPECT_TRUE(at::allclose(mean_by("pcg"), dense, 1e-5));
  EXPECT_THAT(files(), Contains("sparse/g/std.npy"));
  EXPECT_THAT(files(), Not(Contains("pcg/g/std.npy")));
  EXPECT_TRUE(json("pcg/g/info.json")["log_evidence_nats"].is_null());
}

// L's back substitution grows a thousandfold with every pixel, past what a double holds.
TEST_F(SupnCondition, WritesNothingWhereValuesAreNotFinite) {
  const at::Tensor psi = at::full_like(gaussian_.off_diagonal(), -1e3);
  const StructuredGaussian exploding{
      gaussian_.mean(), gaussian_.log_diagonal().mul(0.0), psi, gaussian_.neighbourhood()};
  write_gaussian(folder_ / "g.safetensors", {exploding, kLogitOfDisparity, {}}, at::kFloat);
  write("points.csv", "x,y,depth_m\n3,2,4\n10,7,5.5\n");

  const AppRun done =
      run({"--known", "points.csv", "--noise", "0.1", "--method", "pcg", "--out", "o"});

  expect_user_error(done, "conditioning by pcg gives values that are not finite");
  EXPECT_THAT(files(), Not(Contains(testing::StartsWith("o/"))));
}

TEST_F(SupnCondition, ProjectsALaserScan) {
  // u = 10·y/x, v = 10·z/x, depth x; the image has the maps' size.
  write("day/calib_cam_to_cam.txt",
        "S_rect_02: 16 12\nR_rect_00: 1 0 0 0 1 0 0 0 1\nP_rect_02: 10 0 0 0 0 10 0 0 0 0 1 0\n");
  write("day/calib_velo_to_cam.txt", "R: 0 1 0 0 0 1 1 0 0\nT: 0 0 0\n");
  const std::vector<float> points{4.0F, 1.6F, 1.2F, 0.0F, 5.0F, 5.5F, 4.0F, 0.0F};
  write("scan.bin",
        std::string(reinterpret_cast<const char*>(points.data()), points.size() * sizeof(float)));

  const AppRun done =
      run({"--lidar", "scan.bin", "--calibration", "day", "--scale", "fixed:5.4", "--out", "o"});

  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NEAR(array("o/g/mean.npy")[2][3].item<double>(), 4.0, 1e-4);
  EXPECT_NEAR(array("o/g/mean.npy")[7][10].item<double>(), 5.0, 1e-4);
}

TEST_F(SupnCondition, ReadsTheKnownPointsThatItWrote) {
  write_depth();
  write_png(folder_ / "image.png", at::zeros({2 * kHeight, 2 * kWidth, 3}, at::kByte));
  const std::vector<std::string> common = {
      "--image", "image.png", "--noise-relative", "0.02", "--scale", "fixed:5.4", "--out"};
  std::vector<std::string> first = common;
  first.insert(first.end(), {"o", "--depth", "depth.png", "--count-known", "30"});
  ASSERT_EQ(run(first).code, 0);
  std::vector<std::string> again = common;
  again.insert(again.end(), {"p", "--known", "o/g/known.csv"});

  const AppRun done = run(again);

  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(json("p/g/info.json")["points"]["known"], 30);
  EXPECT_TRUE(at::allclose(array("p/g/mean.npy"), array("o/g/mean.npy"), 1e-5));
}

TEST_F(SupnCondition, PrintsATableOverASplit) {
  write_split();

  const AppRun done = run_app_program("supn_condition",
                                      {"--checkpoint",
                                       "net",
                                       "--config",
                                       "a.yaml",
                                       "--count-known",
                                       "10",
                                       "40",
                                       "--scale",
                                       "fixed:5.4",
                                       "--noise-relative",
                                       "0.02",
                                       "--out",
                                       "o"});

  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, read_file(folder_ / "o/table.txt", 1 << 20));
  const nlohmann::json table = json("o/table.json");
  EXPECT_EQ(table["caption"]["images"], "2 of 3");
  ASSERT_EQ(table["rows"].size(), 9U);
  EXPECT_EQ(table["rows"][0]["name"], "no points");
  EXPECT_EQ(table["rows"][3]["name"], "10 points: mean x interpolated ratio");
  EXPECT_EQ(table["rows"][5]["name"], "40 points");
  EXPECT_EQ(table["caption"]["calibration"], "none");
  EXPECT_THAT(done.out, HasSubstr("40 points: AbsRel against interpolation of log depth: "));
  const auto abs_rel = [&](std::size_t row) {
    return table["rows"][row]["scores"]["abs_rel"]["mean"].get<double>();
  };
  EXPECT_LT(abs_rel(5), abs_rel(0));
  EXPECT_EQ(table["rows"][5]["scores"]["coverage_90"]["images"], 2);
  const std::string csv = read_file(folder_ / "o/per_image.csv", 1 << 20);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 9);
}

}  // namespace
}  // namespace supn
