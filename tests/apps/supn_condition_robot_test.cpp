// Few beams, noise by range and by point, and a scale that is not known.
#include "apps/condition_app_test.hpp"
#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

using testing::HasSubstr;

TEST_F(SupnCondition, KnowsOnlyWhatFewBeamsMeasured) {
  // u = −100·y/x, v = −100·z/x: the first point is seen at −0.6°, beam 8, the second at −2.9°.
  write("day/calib_cam_to_cam.txt",
        "S_rect_02: 16 12\nR_rect_00: 1 0 0 0 1 0 0 0 1\n"
        "P_rect_02: 100 0 0 0 0 100 0 0 0 0 1 0\n");
  write("day/calib_velo_to_cam.txt", "R: 0 -1 0 0 0 -1 1 0 0\nT: 0 0 0\n");
  const std::vector<float> points{4.0F, -0.2F, -0.04F, 0.0F, 5.0F, -0.45F, -0.25F, 0.0F};
  write("scan.bin",
        std::string(reinterpret_cast<const char*>(points.data()), points.size() * sizeof(float)));
  const auto with_beams = [&](const std::string& beams) {
    return run({"--lidar",
                "scan.bin",
                "--calibration",
                "day",
                "--scale",
                "fixed:5.4",
                "--protocol",
                "eigen_benchmark",
                "--lidar-beams",
                beams,
                "--out",
                "o"});
  };

  const AppRun done = with_beams("4");

  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(json("o/g/info.json")["points"]["known"], 1);
  EXPECT_EQ(json("o/g/info.json")["points"]["lidar_beams"], 4);
  EXPECT_EQ(json("o/g/info.json")["held_back_after"]["points"], 1);
  EXPECT_NEAR(array("o/g/mean.npy")[0][4].item<double>(), 4.0, 1e-4);
  expect_user_error(with_beams("1"), "no point of these beams");
  expect_user_error(with_beams("3"), "--lidar-beams");
}

TEST_F(SupnCondition, TakesEachPointsOwnStd) {
  write("points.csv", "x,y,depth_m,std_m\n3,2,4,0.5\n10,7,5.5,0\n");

  const AppRun done =
      run({"--known", "points.csv", "--scale", "fixed:5.4", "--quantity", "logit", "--out", "o"});

  ASSERT_EQ(done.code, 0) << done.err;
  const at::Tensor pixels = at::tensor({2 * kWidth + 3, 7 * kWidth + 10}, at::kLong);
  const at::Tensor depth = at::tensor({4.0, 5.5}, at::kDouble);
  const at::Tensor noise = at::tensor({0.5, 0.0}, at::kDouble);
  ConditionedGaussian expected(
      gaussian_, depth_observations({pixels, depth, 0, noise}, kScale, {}, DepthRange()));
  EXPECT_TRUE(
      at::allclose(array("o/g/mean.npy").to(at::kDouble), expected.mean()[0][0], 1e-5, 1e-5));
  EXPECT_TRUE(at::allclose(
      array("o/g/std.npy").to(at::kDouble), expected.variance()[0][0].sqrt(), 1e-5, 1e-5));
  EXPECT_EQ(json("o/g/info.json")["points"]["own_std"], true);
  const std::string known = read_file(folder_ / "o/g/known.csv", 1000);
  EXPECT_THAT(known, HasSubstr("x,y,depth_m,std_m\n"));
  EXPECT_THAT(known, HasSubstr("\n3,2,4,0.5\n"));
  EXPECT_THAT(known, HasSubstr("\n10,7,5.5,0\n"));
}

TEST_F(SupnCondition, TakesANoiseThatGrowsWithTheRange) {
  write("points.csv", "x,y,depth_m\n3,2,4\n10,7,5.5\n");
  ASSERT_EQ(run({"--known",
                 "points.csv",
                 "--scale",
                 "fixed:5.4",
                 "--quantity",
                 "logit",
                 "--noise",
                 "0.3",
                 "--noise-relative",
                 "0.1",
                 "--out",
                 "o"})
                .code,
            0);
  write("own.csv", "x,y,depth_m,std_m\n3,2,4,0.5\n10,7,5.5,0.6264982043070834\n");
  ASSERT_EQ(
      run({"--known", "own.csv", "--scale", "fixed:5.4", "--quantity", "logit", "--out", "p"}).code,
      0);
  EXPECT_TRUE(at::allclose(array("o/g/std.npy"), array("p/g/std.npy"), 1e-6));
}

TEST_F(SupnCondition, SolvesTheScaleWithTheDepths) {
  write_depth();  // 0.3 logits nearer than the mean: some 0.73 of its depth
  const auto mean_with = [&](const std::string& std, const std::string& out) {
    const AppRun done = run({"--depth",
                             "depth.png",
                             "--count-known",
                             "40",
                             "--noise-relative",
                             "0.02",
                             "--scale",
                             "fixed:5.4",
                             "--scale-prior",
                             std,
                             "--out",
                             out});
    EXPECT_EQ(done.code, 0) << done.err;
    return array(out + "/g/mean.npy");
  };
  mean_with("1", "o");
  const nlohmann::json scale = json("o/g/info.json")["log_scale"];
  EXPECT_EQ(scale["prior_std"], 1.0);
  EXPECT_LT(scale["mean"], 0.0);
  EXPECT_LT(scale["std"], 1.0);
  EXPECT_LT(json("o/g/info.json")["held_back_after"]["abs_rel"],
            json("o/g/info.json")["held_back_before"]["abs_rel"]);
  const at::Tensor none = mean_with("0", "p");
  EXPECT_EQ(json("p/g/info.json")["log_scale"]["std"], 0.0);
  ASSERT_EQ(run({"--depth",
                 "depth.png",
                 "--count-known",
                 "40",
                 "--noise-relative",
                 "0.02",
                 "--scale",
                 "fixed:5.4",
                 "--out",
                 "q"})
                .code,
            0);
  EXPECT_TRUE(at::allclose(none, array("q/g/mean.npy"), 1e-6));
  EXPECT_FALSE(json("q/g/info.json").contains("log_scale"));
}

}  // namespace
}  // namespace supn
