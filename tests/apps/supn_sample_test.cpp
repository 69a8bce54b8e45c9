#include "apps/sample_app_test.hpp"

namespace supn {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(SupnSample, WritesMapsSidecarAndPicture) {
  const AppRun done = run({"--image", "images/a.png", "--count", "3", "--seed", "7", "--out", "o"});

  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(array("o/a/samples.npy").sizes(), at::IntArrayRef({3, 32, 64}));
  EXPECT_EQ(array("o/a/mean.npy").sizes(), at::IntArrayRef({32, 64}));
  EXPECT_GT(array("o/a/std.npy").min().item<double>(), 0.0);
  EXPECT_GT(read_rgb(folder_ / "o/a.png").size(1), 600);
  const nlohmann::json info = json("o/a/info.json");
  EXPECT_EQ(info["quantity"], "logit");
  EXPECT_EQ(info["seed"], 7);
  EXPECT_EQ(info["method"], "exact");
  EXPECT_EQ(info["non_finite"], 0);
  EXPECT_TRUE(info["converged"]);
  EXPECT_TRUE(info["scale"].is_null());
}

TEST_F(SupnSample, DrawsTheSameBytesForAnyCountAndThreads) {
  ASSERT_EQ(run({"--image", "images/a.png", "--count", "1", "--threads", "1", "--out", "x"}).code,
            0);
  ASSERT_EQ(run({"--image", "images", "--count", "40", "--threads", "2", "--out", "y"}).code, 0);

  const at::Tensor one = array("x/a/samples.npy");
  const at::Tensor forty = array("y/a/samples.npy");

  EXPECT_TRUE(at::equal(one[0], forty[0]));
  EXPECT_FALSE(at::equal(forty[0], forty[1]));
  EXPECT_TRUE(at::equal(array("x/a/mean.npy"), array("y/a/mean.npy")));
  EXPECT_TRUE(at::equal(array("x/a/std.npy"), array("y/a/std.npy")));
}

TEST_F(SupnSample, DrawsTheSameBytesOnOneThreadAndThree) {
  for (const std::string threads : {"1", "3"}) {
    ASSERT_EQ(run({"--image", "images/a.png", "--threads", threads, "--out", threads}).code, 0);
  }
  for (const std::string map : {"/a/mean.npy", "/a/std.npy", "/a/samples.npy"}) {
    EXPECT_TRUE(at::equal(array("1" + map), array("3" + map))) << map;
  }
}

TEST_F(SupnSample, DrawsTheSameBytesSideBySideAndInTurn) {
  ASSERT_EQ(run({"--image", "images", "--threads", "2", "--out", "beside"}).code, 0);
  ASSERT_EQ(run({"--image", "images", "--threads", "2", "--in-turn", "--out", "turn"}).code, 0);
  for (const std::string map : {"/a/std.npy", "/b/samples.npy", "/b/mean.npy"}) {
    EXPECT_TRUE(at::equal(array("beside" + map), array("turn" + map))) << map;
  }
}

TEST_F(SupnSample, LeavesPicturesOutOnRequest) {
  const std::vector<std::string> call{
      "--image", "images/a.png", "--quantity", "depth", "--scale", "5.4", "--out", "o"};
  ASSERT_EQ(run(call).code, 0);
  ASSERT_TRUE(std::filesystem::exists(folder_ / "o/a.png"));
  ASSERT_TRUE(std::filesystem::exists(folder_ / "o/a/mean.png"));
  const at::Tensor before = array("o/a/samples.npy");
  std::vector<std::string> without = call;
  without.emplace_back("--no-picture");

  const AppRun done = run(without);

  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(at::equal(array("o/a/samples.npy"), before));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o/a.png"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o/a/mean.png"));
  EXPECT_THAT(done.err, Not(HasSubstr("a.png shows")));
}

TEST_F(SupnSample, CallsDepthMetresOnlyWithAScale) {
  const std::vector<std::string> depth = {
      "--image", "images/a.png", "--count", "1", "--quantity", "depth"};
  std::vector<std::string> scaled = depth;
  scaled.insert(scaled.end(), {"--scale", "5.4", "--out", "metres"});
  std::vector<std::string> relative = depth;
  relative.insert(relative.end(), {"--out", "relative"});
  ASSERT_EQ(run(scaled).code, 0);
  ASSERT_EQ(run(relative).code, 0);

  EXPECT_EQ(json("metres/a/info.json")["unit"], "m");
  EXPECT_EQ(json("metres/a/info.json")["scale"], 5.4);
  EXPECT_EQ(json("relative/a/info.json")["unit"], "relative");
  EXPECT_THAT(files(), Contains("metres/a/sample_0000.png"));
  EXPECT_THAT(files(), Not(Contains("relative/a/sample_0000.png")));
  const at::Tensor metres = array("metres/a/mean.npy");
  EXPECT_TRUE(at::allclose(metres, array("relative/a/mean.npy") * 5.4, 1e-5));
  EXPECT_TRUE(at::allclose(read_depth_png(folder_ / "metres/a/mean.png"), metres, 0.0, 0.003));
}

TEST_F(SupnSample, ResizesToTheImageOnRequest) {
  ASSERT_EQ(run({"--image",
                 "images",
                 "--count",
                 "2",
                 "--resize",
                 "--quantity",
                 "disparity",
                 "--out",
                 "o"})
                .code,
            0);

  EXPECT_EQ(array("o/a/samples.npy").sizes(), at::IntArrayRef({2, 40, 90}));
  EXPECT_EQ(array("o/b/std.npy").sizes(), at::IntArrayRef({70, 100}));
}

TEST_F(SupnSample, SkipsABadImageInAFolderAndSaysSo) {
  write("images/bad.png", "not an image");

  const AppRun done =
      run({"--image", "images", "--count", "1", "--out", "o", "--log-level", "info"});

  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err, HasSubstr("skipped images/bad.png"));
  EXPECT_THAT(done.err, HasSubstr("2 images sampled, 1 skipped"));
  EXPECT_THAT(files(), Contains("o/b/samples.npy"));
  EXPECT_THAT(files(), Not(Contains(HasSubstr("o/bad"))));
}

TEST_F(SupnSample, ReadsAListOfImages) {
  write("list.txt", "images/a.png\nimages/b.png\n");

  const AppRun done = run({"--image", "list.txt", "--count", "1", "--out", "o"});

  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(files(), Contains("o/images_b/samples.npy"));
}

TEST_F(SupnSample, JacobiSaysThatItFailed) {
  const std::vector<std::string> call = {
      "--image", "images/a.png", "--count", "1", "--method", "jacobi", "--log-level", "warn"};
  std::vector<std::string> few = call;
  few.insert(few.end(), {"--iterations", "2", "--out", "few"});
  std::vector<std::string> all = call;
  all.insert(all.end(), {"--iterations", "200", "--out", "all"});  // exact after 64 + 3·31

  const AppRun failed = run(few);
  const AppRun solved = run(all);

  EXPECT_THAT(failed.err, HasSubstr("sampling failed: relative residual"));
  EXPECT_FALSE(json("few/a/info.json")["converged"]);
  EXPECT_GT(json("few/a/info.json")["relative_residual"], 1e-3);
  EXPECT_EQ(solved.err, "");
  EXPECT_TRUE(json("all/a/info.json")["converged"]);
}

TEST_F(SupnSample, DrawsTheSameFromASavedGaussian) {
  const std::vector<std::string> common = {"--count", "2", "--quantity", "depth", "--scale", "5.4"};
  std::vector<std::string> save = {
      "--image", "images/a.png", "--save-gaussian", "g.safetensors", "--out", "net_out"};
  save.insert(save.end(), common.begin(), common.end());
  ASSERT_EQ(run(save).code, 0);
  std::vector<std::string> load = {"--gaussian", "g.safetensors", "--out", "file_out"};
  load.insert(load.end(), common.begin(), common.end());

  const AppRun done = run_app_program("supn_sample", load);

  ASSERT_EQ(done.code, 0) << done.err;
  for (const std::string name : {"mean.npy", "std.npy", "samples.npy"}) {
    EXPECT_TRUE(at::equal(array("net_out/a/" + name), array("file_out/a/" + name))) << name;
  }
  EXPECT_EQ(json("file_out/a/info.json")["gaussian"], "g.safetensors");
  EXPECT_EQ(json("file_out/a/info.json")["image"], "images/a.png");
  EXPECT_GT(read_rgb(folder_ / "file_out/a.png").size(1), 600);
  // With its image it can be resized to it.
  load = {"--gaussian", "g.safetensors", "--image", "images/a.png", "--resize", "--out", "big"};
  ASSERT_EQ(run_app_program("supn_sample", load).code, 0);
  EXPECT_EQ(array("big/a/mean.npy").sizes(), at::IntArrayRef({40, 90}));
}

TEST_F(SupnSample, SavesASavedGaussianAgain) {
  ASSERT_EQ(run({"--image", "images/a.png", "--save-gaussian", "g.safetensors", "--out", "o"}).code,
            0);
  const AppRun done = run_app_program("supn_sample",
                                      {"--gaussian",
                                       "g.safetensors",
                                       "--save-gaussian",
                                       "half.safetensors",
                                       "--gaussian-dtype",
                                       "float16",
                                       "--out",
                                       "again"});
  ASSERT_EQ(done.code, 0) << done.err;
  const GaussianFile first = read_gaussian(folder_ / "g.safetensors");
  const GaussianFile second = read_gaussian(folder_ / "half.safetensors");
  EXPECT_EQ(second.metadata, first.metadata);
  EXPECT_TRUE(second.gaussian.mean().allclose(first.gaussian.mean(), 1e-3, 1e-3));
}

TEST_F(SupnSample, SharesNoiseBetweenImagesOnRequest) {
  write_picture("images/b.png", 40, 90);  // the same picture as a
  const std::vector<std::string> call = {"--image", "images", "--count", "1", "--out"};
  std::vector<std::string> own = call;
  own.emplace_back("own");
  std::vector<std::string> common = call;
  common.insert(common.end(), {"common", "--common-noise"});
  ASSERT_EQ(run(own).code, 0);
  ASSERT_EQ(run(common).code, 0);

  EXPECT_TRUE(at::equal(array("common/a/samples.npy"), array("common/b/samples.npy")));
  EXPECT_FALSE(at::equal(array("own/a/samples.npy"), array("own/b/samples.npy")));
  EXPECT_EQ(json("common/a/info.json")["seed_id"], json("common/b/info.json")["seed_id"]);
}

TEST_F(SupnSample, FilmsASequence) {
  const AppRun done = run({"--image",
                           "images",
                           "--count",
                           "1",
                           "--common-noise",
                           "--video",
                           "film.avi",
                           "--video-rate",
                           "4",
                           "--out",
                           "o"});

  ASSERT_EQ(done.code, 0) << done.err;
  std::ifstream film(folder_ / "film.avi", std::ios::binary);
  std::string start(12, '\0');
  film.read(start.data(), 12);
  EXPECT_EQ(start.substr(0, 4), "RIFF");
  EXPECT_EQ(start.substr(8), "AVI ");
  for (const std::string& file : files()) EXPECT_THAT(file, Not(HasSubstr(".part")));
}

}  // namespace
}  // namespace supn
