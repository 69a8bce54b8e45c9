// How supn_sample is called, and what it says.
#include "apps/sample_app_test.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

TEST_F(SupnSample, TakesEitherFormOfAFixedScale) {
  for (const std::string scale : {"5.4", "fixed:5.4"}) {
    ASSERT_EQ(run({"--image",
                   "images/a.png",
                   "--count",
                   "1",
                   "--quantity",
                   "depth",
                   "--scale",
                   scale,
                   "--out",
                   scale})
                  .code,
              0);
    EXPECT_EQ(json(scale + "/a/info.json")["scale"], 5.4);
  }
}

TEST_F(SupnSample, RefusesOptionsWithoutEffectAndWritesNothing) {
  const std::vector<std::string> before = files();
  const auto fault = [&](std::vector<std::string> options, const std::string& part) {
    options.insert(options.end(), {"--image", "images/a.png", "--out", "o"});
    expect_user_error(run(options), part);
  };
  fault({"--scale", "5.4"}, "--scale: has no effect without --quantity depth");
  fault({"--quantity", "depth", "--scale", "auto"}, "needs known depths");
  fault({"--quantity", "depth", "--scale", "1e40"}, "--scale: expected NUMBER");
  fault({"--iterations", "9"}, "--iterations: has no effect without --method jacobi");
  fault({"--video-rate", "9"}, "--video-rate: has no effect without --video");
  fault({"--gaussian-dtype", "float16"}, "without --save-gaussian");
  fault({"--split", "val"}, "--split: has no effect without --config");
  EXPECT_EQ(files(), before);
}

TEST_F(SupnSample, WarnsOfAnImageUnlikeThoseOfTraining) {
  const std::vector<std::string> call = {
      "--image", "images/a.png", "--out", "o", "--log-level", "warn"};
  EXPECT_EQ(run(call).err, "");

  TrainingRange range;
  range.std.fill(0.05);
  range.largest_deviation = 2.0;
  range.largest_spread = 1e9;
  range.mean.fill(9.0);
  std::ofstream(folder_ / "net" / kTrainingRangeFile) << to_json(range);

  EXPECT_THAT(run(call).err, HasSubstr("images/a.png: is unlike the images of training"));
}

TEST_F(SupnSample, SaysWhatItWroteWhere) {
  const AppRun one = run({"--image", "images/a.png", "--out", "o", "--log-level", "info"});
  EXPECT_THAT(one.err, HasSubstr("o/a/ holds mean, std and 8 samples, o/a.png shows them"));
  const AppRun film =
      run({"--image", "images", "--out", "o", "--video", "film.avi", "--log-level", "info"});
  EXPECT_THAT(film.err, HasSubstr("film.avi shows 2 images"));
}

TEST_F(SupnSample, RefusesBadCallsAndWritesNothing) {
  const std::vector<std::string> before = files();

  expect_user_error(run({}), "either --image");
  expect_user_error(run({"--image", "none.png", "--out", "o"}), "none.png: not found");
  expect_user_error(run({"--image", "images/a.png"}), "--out is required");
  expect_user_error(run({"--image", "images/a.png", "--set", "data.root=x"}), "--config");
  expect_user_error(run({"--image", "images/a.png", "--out", "o", "--count", "0"}), "--count");
  expect_user_error(run({"--image", "images/a.png", "--out", "o", "--scale", "-1"}), "--scale");
  expect_user_error(run({"--image", "images/a.png", "--out", "o", "--method", "fast"}), "--method");
  expect_user_error(
      run_app_program("supn_sample",
                      {"--checkpoint", "none", "--image", "images/a.png", "--out", "o"}),
      "none");

  expect_user_error(run({"--image", "images", "--out", "o", "--save-gaussian", "g.safetensors"}),
                    "--save-gaussian writes one image's Gaussian, and there are 2");
  expect_user_error(run({"--image", "images/a.png", "--out", "o", "--video", "v.avi"}),
                    "--video needs a sequence");
  expect_user_error(run({"--image", "images", "--out", "o", "--video", "v.mp4"}),
                    "v.mp4: films are written as .avi");
  expect_user_error(run({"--image", "images", "--out", "o", "--video", "v.avi", "--resize"}),
                    "leave out --resize");
  expect_user_error(run({"--image", "images/a.png", "--gaussian", "g", "--out", "o"}),
                    "either --checkpoint DIR or --gaussian FILE");
  expect_user_error(run_app_program("supn_sample", {"--image", "images/a.png", "--out", "o"}),
                    "either --checkpoint DIR or --gaussian FILE");
  expect_user_error(run_app_program("supn_sample", {"--gaussian", "images/a.png", "--out", "o"}),
                    "images/a.png");
  expect_user_error(
      run_app_program("supn_sample", {"--gaussian", "g", "--image", "images", "--out", "o"}),
      "names 2 images");
  expect_user_error(run_app_program("supn_sample", {"--gaussian", "g", "--resize", "--out", "o"}),
                    "--resize needs --image");

  EXPECT_EQ(files(), before);
}

TEST_F(SupnSample, RefusesImagesThatWouldBeWrittenOverEachOther) {
  write("list.txt", "images/a.png\n./images/a.png\n");

  expect_user_error(run({"--image", "list.txt", "--out", "o"}), "would both be written");
}

}  // namespace
}  // namespace supn
