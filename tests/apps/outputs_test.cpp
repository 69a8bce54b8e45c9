// Nothing that a user has is written over: not what an app reads, under whatever name, and not what
// lies where its results are to go.
#include <ATen/ops/ones.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "apps/app_process.hpp"
#include "apps/gaussian_app_test.hpp"
#include "serialization/temporary_folder.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/network/checkpoint.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Outputs : public GaussianAppTest {
 protected:
  void SetUp() override {
    GaussianAppTest::SetUp();
    fs::create_directories(folder_ / "album");
    write_picture("album/photo.png");
    write_picture("g.png");
  }
  void write_picture(const std::string& name) const {
    write_png(folder_ / name, at::ones({kHeight, kWidth, 3}, at::kByte));
  }
  void save_network() const {
    SupnNetwork network(
        NetworkConfig{.backbone = Backbone::kCompact, .off_diagonal = OffDiagonalForm::kFactored});
    save_checkpoint(folder_ / "net", {network, {32, 64}, {}, "", ""});
  }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const std::string& name : files()) {
      all[name] = fs::is_regular_file(folder_ / name) ? test::read_bytes(folder_ / name) : "";
    }
    return all;
  }
  // One line that holds `part`, and everything is as it was.
  void expect_refused(const std::string& app,
                      const std::vector<std::string>& arguments,
                      const std::string& part) const {
    const auto before = contents();
    expect_user_error(run_app_program(app, arguments), part);
    EXPECT_EQ(contents(), before) << app;
  }
};

TEST_F(Outputs, OfSamplesReplaceNoPhotoUnderAnyName) {
  save_network();
  fs::create_directory_symlink(folder_ / "album", folder_ / "pictures");
  const auto refused = [&](const std::string& image, const std::string& out) {
    expect_refused("supn_sample",
                   {"--checkpoint", "net", "--image", image, "--count", "1", "--out", out},
                   "is an input of this call");
  };
  refused("album/photo.png", "album");
  refused("album", "album");
  refused("album/photo.png", "pictures");
  refused("pictures/photo.png", "album/../album/");
  refused("g.png", ".");
  fs::create_directory(folder_ / "linked");
  fs::create_hard_link(folder_ / "album/photo.png", folder_ / "linked/photo.png");
  refused("album/photo.png", "linked");
}

TEST_F(Outputs, OfSamplesReplaceNoFolderOrPictureOfTheUser) {
  write("album/g/notes.txt", "mine");
  expect_refused(
      "supn_sample", {"--gaussian", "g.safetensors", "--out", "album"}, "holds notes.txt");
  fs::remove_all(folder_ / "album/g");
  write_picture("album/g.png");
  expect_refused("supn_sample",
                 {"--gaussian", "g.safetensors", "--out", "album"},
                 "is there already, and not of an earlier call");
}

TEST_F(Outputs, OfAnEarlierCallAreReplaced) {
  const std::vector<std::string> call = {"--gaussian", "g.safetensors", "--out", "o", "--count"};
  for (const char* count : {"3", "2"}) {
    std::vector<std::string> arguments = call;
    arguments.emplace_back(count);
    const AppRun run = run_app_program("supn_sample", arguments);
    ASSERT_EQ(run.code, 0) << run.err;
  }
  EXPECT_EQ(array("o/g/samples.npy").size(0), 2);
}

TEST_F(Outputs, OfOneFileReplaceNoInputAndLieInNoFolderThatIsReplaced) {
  save_network();
  const auto refused = [&](const std::string& file, const std::string& part) {
    expect_refused("supn_sample",
                   {"--checkpoint",
                    "net",
                    "--image",
                    "album/photo.png",
                    "--save-gaussian",
                    file,
                    "--out",
                    "o"},
                   part);
  };
  refused("album/photo.png", "is an input");
  refused("net/model.safetensors", "is an input");
  refused("o/photo/g.safetensors", "lies in a folder that is replaced");
  expect_refused(
      "supn_export", {"--checkpoint", "net", "--out", "net/network.json"}, "is an input");
  write("members/a.safetensors", "x");
  write("members/b.safetensors", "x");
  expect_refused("supn_import",
                 {"--encoder",
                  "members/a.safetensors",
                  "--decoder",
                  "members/b.safetensors",
                  "--out",
                  "members"},
                 "members/a.safetensors");
}

TEST_F(Outputs, OfConditioningReplaceNoMeasurement) {
  const std::vector<std::string> sample = {
      "--gaussian", "g.safetensors", "--out", "o", "--quantity", "depth", "--scale", "5.4"};
  ASSERT_EQ(run_app_program("supn_sample", sample).code, 0);
  expect_refused("supn_condition",
                 {"--gaussian", "g.safetensors", "--depth", "o/g/mean.png", "--out", "o"},
                 "holds an input of this call");
}

TEST_F(Outputs, OfCovariancesReplaceNoWeights) {
  fs::create_directories(folder_ / "o/g");
  write_npy(folder_ / "o/g/covariance.npy", at::ones({kHeight, kWidth}));
  expect_refused(
      "supn_covariance",
      {"--gaussian", "g.safetensors", "--functional", "o/g/covariance.npy", "--out", "o"},
      "holds an input of this call");
}

// Places are looked at before the work, which would stumble over what it is given.
TEST_F(Outputs, ThatCannotBeWrittenAreToldBeforeTheWork) {
  write("a.yaml", "data: {root: absent, test_split: absent.txt}\n");
  expect_refused("supn_export", {"--checkpoint", "absent", "--out", "album"}, "a folder is there");
  expect_refused("supn_export",
                 {"--checkpoint", "absent", "--out", "g.png/a.pt"},
                 "a part of the path is a file");
  expect_refused("supn_train",
                 {"--config", "a.yaml", "--set", "training.output=g.png/run"},
                 "a part of the path is a file");
  save_network();
  expect_refused(
      "supn_condition",
      {"--checkpoint", "net", "--config", "a.yaml", "--count-known", "5", "--out", "g.png/out"},
      "a part of the path is a file");
}

TEST_F(Outputs, OfAnEvaluationReplaceNoList) {
  ASSERT_NO_FATAL_FAILURE(synthesise("64x32", 0, 1, 2));
  fs::create_directory(folder_ / "out");
  fs::copy_file(folder_ / "road/splits/test_files.txt", folder_ / "out/table.txt");
  write("a.yaml",
        "data: {root: road, samples: road/samples, test_split: out/table.txt, height: 32, "
        "width: 64}\n");
  expect_refused("supn_eval",
                 {"--config", "a.yaml", "--ensemble", "--out", "out"},
                 "is an input of this call");
}

TEST_F(Outputs, OfASyntheticSetReplaceNoOtherSet) {
  write("kitti/splits/train_files.txt", "mine");
  expect_refused("supn_data",
                 {"synth", "--out", "kitti", "--train", "1", "--val", "0", "--test", "0"},
                 "kitti/splits: is there already");
}

TEST_F(Outputs, OfAnEnsembleReplaceNoMapsOfOthers) {
  ASSERT_NO_FATAL_FAILURE(synthesise("64x32", 1, 0, 0));
  write("a.yaml",
        "data: {root: road, samples: road/samples, train_split: road/splits/train_files.txt}\n"
        "ensemble: {members: [absent.ts]}\n");
  const AppRun run = run_app_program("supn_ensemble", {"--config", "a.yaml"});
  expect_user_error(run, "absent.ts");  // the rest is a test of run_ensemble
}

TEST_F(Outputs, OfACacheReplaceNoOtherFile) {
  ASSERT_NO_FATAL_FAILURE(synthesise("64x32", 1, 0, 0));
  write("mine/images.rgb", "precious");
  write("a.yaml",
        "data: {root: road, cache: mine, train_split: road/splits/train_files.txt, height: 32, "
        "width: 64}\n");
  expect_refused("supn_data", {"cache", "--config", "a.yaml"}, "is there without an index.txt");
}

TEST_F(Outputs, OfACacheNeedNoLocks) {
  ASSERT_NO_FATAL_FAILURE(synthesise("64x32", 1, 0, 0));
  write("a.yaml",
        "data: {root: road, cache: cache, train_split: road/splits/train_files.txt, height: 32, "
        "width: 64}\n");
  ::setenv("LD_PRELOAD", SUPN_NO_LOCKS, 1);
  const AppRun run = run_app_program("supn_data", {"cache", "--config", "a.yaml"});
  ::unsetenv("LD_PRELOAD");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(fs::file_size(folder_ / "cache/images.rgb"), 32U * 64U * 3U);
}

TEST_F(Outputs, OfAFolderEndWithTheFirstThatADiskHasNoRoomFor) {
  save_network();
  write_picture("album/second.png");
  const std::string disk = (folder_ / "disk").string();
  fs::create_directory(disk);
  AppProcess process(
      folder_,
      "supn_sample",
      {"--checkpoint", "net", "--image", "album", "--out", "disk/o", "--log-level", "error"},
      [&] {
        const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                             ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                             ::mount("supn", disk.c_str(), "tmpfs", 0, "size=32k") == 0;
        if (!mounted) ::_exit(77);
      });
  const AppRun run = process.finish();
  if (run.code == 77) GTEST_SKIP() << "needs the right to mount (root)";
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("No space left on device"));
  EXPECT_THAT(run.err, ::testing::Not(HasSubstr("skipped")));
}

TEST_F(Outputs, OnAFullOrClosedStandardOutputAreAnError) {
  const auto run_with = [&](const std::string& redirection) {
    const std::string err = (folder_ / "err").string();
    const int status =
        std::system(("cd " + folder_.string() + " && " SUPN_BINARY_DIR "/bin/supn_import " +
                     redirection + " 2>" + err)
                        .c_str());
    return AppRun{WEXITSTATUS(status), "", test::read_bytes(err)};
  };
  expect_user_error(run_with("g.safetensors >/dev/full"), "standard output cannot be written");
  expect_user_error(run_with("--help >/dev/full"), "standard output cannot be written");
  expect_user_error(run_with("g.safetensors >&-"), "standard output cannot be written");
  EXPECT_EQ(run_with("g.safetensors >/dev/null").code, 0);
  // Without a standard output, files must not get what is printed.
  const int status = std::system(("cd " + folder_.string() +
                                  " && " SUPN_BINARY_DIR
                                  "/bin/supn_sample --gaussian g.safetensors --out o >&- 2>&- <&-")
                                     .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(array("o/g/mean.npy").sizes(), at::IntArrayRef({kHeight, kWidth}));
}

TEST_F(Outputs, InTheHomeFolderAreNamedByATilde) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::setenv("HOME", folder_.c_str(), 1);
  const AppRun run =
      run_app_program("supn_sample", {"--gaussian=~/g.safetensors", "--out=~/results"});
  const AppRun variable =
      run_app_program("supn_sample", {"--gaussian", "g.safetensors", "--out", "$HOME/x"});
  ::setenv("HOME", home.c_str(), 1);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(fs::exists(folder_ / "results/g/mean.npy"));
  expect_user_error(variable, "$HOME/x: variables are not expanded here");
  EXPECT_FALSE(fs::exists(folder_ / "$HOME"));
}

}  // namespace
}  // namespace supn
