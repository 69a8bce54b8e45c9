#include <fstream>

#include "apps/app_runner.hpp"

namespace supn {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SupnData : public AppTest {
 protected:
  AppRun synth(std::vector<std::string> arguments) const {
    std::vector<std::string> all = {"synth", "--out", "road", "--size", "96x32"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_app_program("supn_data", all);
  }
  // A configuration for the set that synth writes.
  void write_config() const {
    write("road.yaml",
          "data:\n  root: road\n  samples: road/samples\n  train_split: "
          "road/splits/train_files.txt\n"
          "  height: 32\n  width: 96\n");
  }
};

TEST_F(SupnData, SynthesizesASetThatItsCheckAccepts) {
  const AppRun made =
      synth({"--train", "2", "--val", "1", "--test", "0", "--members", "2", "--log-level", "info"});
  write_config();

  const AppRun checked = run_app_program("supn_data", {"check", "--config", "road.yaml"});

  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("nats per pixel"));
  EXPECT_EQ(checked.code, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("train: 2 frames"));
  EXPECT_THAT(checked.out, HasSubstr("0 faults"));
}

TEST_F(SupnData, CheckNamesEachFault) {
  ASSERT_EQ(synth({"--train", "2", "--val", "0", "--test", "0", "--members", "2"}).code, 0);
  write_config();
  const std::string drive = "2000_01_01/2000_01_01_drive_0001_sync/";
  std::filesystem::resize_file(folder_ / "road" / drive / "image_02/data/0000000001.png", 100);
  std::filesystem::remove(folder_ / "road/samples" / drive / "image_02/0000000001/logit_0.npy");

  const AppRun checked = run_app_program("supn_data", {"check", "--config", "road.yaml"});

  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.out, HasSubstr("image_02/data/0000000001.png"));
  EXPECT_THAT(checked.out, HasSubstr("0000000001/logit_0.npy"));
  EXPECT_THAT(checked.out, HasSubstr("2 faults"));
}

TEST_F(SupnData, LeavesOutASplitThatABaseNamesAndNobodyAskedFor) {
  ASSERT_EQ(synth({"--train", "2", "--val", "0", "--test", "0", "--members", "2"}).code, 0);
  write("base.yaml", "data:\n  sequence_split: none.txt\n");
  write("road.yaml",
        "base: base.yaml\ndata:\n  root: road\n  train_split: road/splits/train_files.txt\n");
  const std::vector<std::string> check = {"check", "--config", "road.yaml"};
  std::vector<std::string> loud = check;
  loud.insert(loud.end(), {"--log-level", "warn"});

  const AppRun all = run_app_program("supn_data", loud);

  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("train: 2 frames"));
  EXPECT_THAT(all.err,
              HasSubstr("data.sequence_split, set in " + (folder_ / "base.yaml").string() +
                        ":2 is left out"));
  std::vector<std::string> one = check;
  one.insert(one.end(), {"--split", "sequence"});
  expect_user_error(run_app_program("supn_data", one), "check data.sequence_split, set in ");
  one = check;
  one.insert(one.end(), {"--set", "data.sequence_split=also_none.txt"});
  expect_user_error(run_app_program("supn_data", one), "set in --set data.sequence_split");
}

TEST_F(SupnData, CheckByHeadersDoesNotLookAtValues) {
  ASSERT_EQ(synth({"--train", "2", "--val", "0", "--test", "0", "--members", "2"}).code, 0);
  write_config();
  const auto maps = folder_ /
                    "road/samples/2000_01_01/2000_01_01_drive_0001_sync/image_02/0000000001/"
                    "logit_0.npy";
  // The last value becomes a NaN.
  std::fstream file(maps, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-4, std::ios::end);
  file.write("\xff\xff\xff\xff", 4);
  file.close();

  const std::vector<std::string> call = {"check", "--config", "road.yaml"};
  EXPECT_EQ(run_app_program("supn_data", call).code, 1);
  EXPECT_EQ(run_app_program("supn_data", {"check", "--config", "road.yaml", "--quick"}).code, 0);
  std::filesystem::resize_file(maps, 1000);
  EXPECT_EQ(run_app_program("supn_data", {"check", "--config", "road.yaml", "--quick"}).code, 1);
}

TEST_F(SupnData, StatsDescribesTheSplits) {
  ASSERT_EQ(synth({"--train", "2", "--val", "1", "--test", "0", "--members", "3"}).code, 0);
  write_config();

  const AppRun stats = run_app_program("supn_data", {"stats", "--config", "road.yaml"});

  EXPECT_EQ(stats.code, 0) << stats.err;
  EXPECT_THAT(stats.out, HasSubstr("train: 2 frames"));
  EXPECT_THAT(stats.out, HasSubstr("members: 3"));
  EXPECT_THAT(stats.out, HasSubstr("ground truth: 2 of 2"));
  EXPECT_THAT(stats.out, HasSubstr("10-20 m"));
  EXPECT_THAT(stats.out, HasSubstr("members' maps 0.1 MB"));  // 2 · 3·32·96·4 bytes
  EXPECT_THAT(stats.out, ::testing::Not(HasSubstr("val:")));  // not in this configuration
  expect_user_error(
      run_app_program("supn_data", {"stats", "--config", "road.yaml", "--split", "test"}),
      "none of the splits");
}

TEST_F(SupnData, CachesTheImagesOfTheSplits) {
  ASSERT_EQ(synth({"--train", "3", "--val", "0", "--test", "0", "--members", "2"}).code, 0);
  write_config();
  const auto cache = [this](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"cache", "--config", "road.yaml"});
    return run_app_program("supn_data", arguments);
  };
  const std::string folder = "data.cache=" + (folder_ / "cache").string();
  expect_user_error(cache({}), "data.cache");

  const AppRun need = cache({"--set", folder, "--need"});
  EXPECT_EQ(need.code, 0) << need.err;
  EXPECT_THAT(need.out, HasSubstr("3 are to be made and take 2.76e-05 GB"));  // 3·32·96·3 bytes
  EXPECT_THAT(need.out, HasSubstr("KITTI's 39810 at this size take 0.367 GB"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache"));

  EXPECT_EQ(cache({"--set", folder}).code, 0);
  EXPECT_THAT(cache({"--set", folder}).out, HasSubstr("3 images are there, 0 are to be made"));
  const AppRun speed = run_app_program(
      "supn_data",
      {"speed", "--config", "road.yaml", "--set", folder, "--images", "6", "--scales", "2"});
  EXPECT_EQ(speed.code, 0) << speed.err;
  expect_user_error(
      run_app_program(
          "supn_data",
          {"speed", "--config", "road.yaml", "--set", folder, "--set", "data.width=48"}),
      "the cached images are 96x32");
}

TEST_F(SupnData, RefusesBadCallsAndWritesNothing) {
  expect_user_error(run_app_program("supn_data", {}), "subcommand");
  expect_user_error(run_app_program("supn_data", {"synth"}), "--out");
  const auto sized = [&](const std::string& size) {
    return run_app_program("supn_data", {"synth", "--out", "road", "--size", size});
  };
  expect_user_error(sized("320"), "expected WIDTHxHEIGHT");
  expect_user_error(sized("320x8"), "16 ... 4096");
  expect_user_error(synth({"--train", "-1"}), "--train");
  expect_user_error(synth({"--train", "0", "--val", "0", "--test", "0"}), "at least one image");
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(SupnData, SaysWhereItCannotWrite) {
  write("road", "a file in the way");

  const AppRun run = synth({"--train", "1", "--val", "0", "--test", "0"});

  expect_user_error(run, "road");
}

}  // namespace
}  // namespace supn
