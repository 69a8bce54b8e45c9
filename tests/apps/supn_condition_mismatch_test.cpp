// supn_condition where its inputs do not belong together.
#include "apps/condition_app_test.hpp"

namespace supn {
namespace {

using testing::HasSubstr;

TEST_F(SupnCondition, WarnsOfPointsInAnotherUnit) {
  const auto log = [&](const std::string& depth, const std::string& scale) {
    write("points.csv", "x,y,depth_m\n3,2," + depth + "\n");
    return run({"--known", "points.csv", "--scale", scale, "--out", "o", "--log-level", "warn"})
        .err;
  };
  EXPECT_THAT(log("4400", "auto"), HasSubstr("check that they are metres"));
  EXPECT_THAT(log("26", "5.4"), HasSubstr("the scale does not fit"));
  EXPECT_EQ(log("4.4", "auto"), "");
  EXPECT_EQ(log("26", "median"), "");
}

TEST_F(SupnCondition, RefusesOptionsWithoutEffect) {
  write("points.csv", "x,y,depth_m\n3,2,4\n");
  const auto fault = [&](std::vector<std::string> options, const std::string& part) {
    options.insert(options.end(), {"--known", "points.csv", "--out", "o"});
    expect_user_error(run(options), part);
  };
  fault({"--camera", "left"}, "--camera: has no effect without --lidar");
  fault({"--lidar-columns", "5"}, "--lidar-columns: has no effect without --lidar");
  fault({"--select", "active"}, "--select: has no effect without --count-known");
  fault({"--split", "val"}, "--split: has no effect without --config");
  expect_user_error(
      run_app_program("supn_condition",
                      {"--checkpoint", "net", "--config", "a.yaml", "--samples", "3"}),
      "--samples: has no effect without --image");
}

TEST_F(SupnCondition, RefusesDepthOfAnotherSizeThanItsImage) {
  write_split();
  write_png(folder_ / "image.png", at::zeros({32, 48, 3}, at::kByte));
  write_depth_png(folder_ / "cropped.png", at::full({30, 44}, 2.0));
  const std::string fault = "expected the image's size, 48x32, found 44x30";
  expect_user_error(run({"--image", "image.png", "--depth", "cropped.png", "--out", "o"}), fault);

  const std::string drive = "kitti/2011_09_26/2011_09_26_drive_0001_sync/";
  std::filesystem::copy_file(folder_ / "cropped.png",
                             folder_ / drive / "proj_depth/groundtruth/image_02/0000000001.png",
                             std::filesystem::copy_options::overwrite_existing);
  expect_user_error(
      run_app_program("supn_condition", {"--checkpoint", "net", "--config", "a.yaml"}), fault);
}

TEST_F(SupnCondition, RefusesAnImageThatTheGaussianIsNotOf) {
  write_split();
  write_png(folder_ / "a.png", at::zeros({32, 48, 3}, at::kByte));
  write_png(folder_ / "b.png", at::zeros({30, 44, 3}, at::kByte));
  write_depth_png(folder_ / "cropped.png", at::full({30, 44}, 2.0));
  ASSERT_EQ(run_app_program("supn_sample",
                            {"--checkpoint",
                             "net",
                             "--image",
                             "a.png",
                             "--save-gaussian",
                             "a.safetensors",
                             "--out",
                             "o"})
                .code,
            0);
  const auto with = [&](const std::string& app, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--gaussian", "a.safetensors", "--out", "p"});
    return run_app_program(app, arguments);
  };
  const std::string fault = "is of an image of 48x32 pixels, and --image has 44x30";
  expect_user_error(with("supn_sample", {"--image", "b.png"}), fault);
  expect_user_error(with("supn_covariance", {"--image", "b.png", "--marginals"}), fault);
  expect_user_error(with("supn_condition", {"--image", "b.png", "--depth", "cropped.png"}), fault);
  expect_user_error(with("supn_condition", {"--depth", "cropped.png"}), "found 44x30");
  EXPECT_EQ(with("supn_sample", {"--image", "a.png"}).code, 0);
}

TEST_F(SupnCondition, RefusesBadCallsAndWritesNothing) {
  write("points.csv", "x,y,depth_m\n3,2,4\n");
  write("bad.csv", "x,y,depth_m\n3,2,4\n16,2,4\n");
  write("own.csv", "x,y,depth_m,std_m\n3,2,4,0.1\n");
  write("cut.bin", "123");
  const std::vector<std::string> before = files();

  expect_user_error(run({"--out", "o"}), "one of --known");
  expect_user_error(run({"--known", "points.csv"}), "--out is required");
  expect_user_error(run({"--known", "none.csv", "--out", "o"}), "none.csv");
  expect_user_error(run({"--known", "bad.csv", "--out", "o"}), "bad.csv:3: x is '16'");
  expect_user_error(run({"--known", "points.csv", "--depth", "d.png", "--out", "o"}), "one of");
  expect_user_error(run({"--lidar", "cut.bin", "--out", "o"}), "--calibration");
  expect_user_error(run({"--known", "points.csv", "--scale", "none", "--out", "o"}),
                    "fixed:NUMBER");
  expect_user_error(run({"--known", "points.csv", "--noise", "-1", "--out", "o"}), "--noise");
  expect_user_error(run({"--known", "own.csv", "--noise", "1", "--out", "o"}),
                    "has a std_m for each point");
  expect_user_error(run({"--known", "points.csv", "--lidar-beams", "4", "--out", "o"}),
                    "--lidar-beams");
  expect_user_error(run({"--known", "points.csv", "--scale-prior", "-1", "--out", "o"}),
                    "--scale-prior");
  expect_user_error(run({"--known", "points.csv", "--gate", "3", "--method", "pcg", "--out", "o"}),
                    "--gate");
  expect_user_error(run({"--known", "points.csv", "--count-known", "1", "2", "--out", "o"}),
                    "give --config");
  expect_user_error(run({"--known", "points.csv", "--image", "none.png", "--out", "o"}),
                    "none.png");
  expect_user_error(run({"--config", "a.yaml"}), "a.yaml");
  expect_user_error(run_app_program("supn_condition", {"--known", "points.csv", "--out", "o"}),
                    "either --checkpoint DIR or --gaussian FILE");

  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace supn
