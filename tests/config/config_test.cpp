#include "supn/config/config.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <sstream>

#include "config/config_fixture.hpp"
#include "supn/data/kitti.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

std::vector<std::filesystem::path> shipped_configurations() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SUPN_SOURCE_DIR "/configs")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  return files;
}

using LoadConfig = ConfigFiles;

TEST_F(LoadConfig, GivesDefaultsForAnEmptyFile) {
  EXPECT_EQ(to_yaml(load_config(write("a.yaml", ""), {})), to_yaml(Config()));
}

TEST_F(LoadConfig, AppliesFileThenOverrides) {
  const auto file = write("a.yaml", "data:\n  root: kitti\n  height: 96\n  width: 320\n");
  const std::vector<std::string> overrides = {"data.height=64", "ensemble.members=[a.ts, /b.ts]"};

  const Config config = load_config(file, overrides);

  EXPECT_EQ(config.data.root, folder_ / "kitti");
  EXPECT_EQ(config.data.height, 64);
  EXPECT_EQ(config.data.width, 320);
  EXPECT_EQ(config.ensemble.members.at(0), std::filesystem::current_path() / "a.ts");
  EXPECT_EQ(config.ensemble.members.at(1), "/b.ts");
}

TEST_F(LoadConfig, NamesFileLineAndKey) {
  const auto file = write("a.yaml", "data:\n  hight: 96\n");

  const std::string message = message_of<ConfigError>([&] { load_config(file, {}); });

  EXPECT_EQ(message, file.string() + ":2: data.hight: unknown key, did you mean data.height?");
}

TEST_F(LoadConfig, RemembersWhereSplitsWereSet) {
  const auto base = write("base.yaml", "data:\n  val_split: v.txt\n  sequence_split: s.txt\n");
  const auto file = write("a.yaml", "base: base.yaml\ndata:\n  train_split: t.txt\n");
  const std::vector<std::string> overrides = {"data.val_split=w.txt"};

  const Config config = load_config(file, overrides);

  const auto& places = config.data.places;
  EXPECT_EQ(places.at("train_split").text, file.string() + ":3");
  EXPECT_EQ(places.at("train_split").source, KeyPlace::Source::kFile);
  EXPECT_EQ(places.at("val_split").source, KeyPlace::Source::kOverride);
  EXPECT_EQ(places.at("sequence_split").text, base.string() + ":3");
  EXPECT_EQ(places.at("sequence_split").source, KeyPlace::Source::kBase);
  EXPECT_EQ(places.count("test_split"), 0U);
  EXPECT_THAT(
      message_of<IoError>([&] { read_split(config.data, Split::kSequence); }),
      HasSubstr("s.txt: the split's list cannot be read; check data.sequence_split, set in " +
                base.string() + ":3"));
}

TEST_F(LoadConfig, NamesTheOverride) {
  const auto file = write("a.yaml", "");
  const std::vector<std::string> overrides = {"ensemble.dtype=half"};

  EXPECT_EQ(message_of<ConfigError>([&] { load_config(file, overrides); }),
            "--set ensemble.dtype=half: ensemble.dtype: expected float32 or float16, got 'half'");
}

TEST_F(LoadConfig, ReadsEveryShippedFileAndItsPrintedForm) {
  const auto files = shipped_configurations();
  ASSERT_GE(files.size(), 3U);
  for (const auto& file : files) {
    const std::string yaml = to_yaml(load_config(file, {}));
    EXPECT_EQ(to_yaml(load_config(write("again.yaml", yaml), {})), yaml) << file;
  }
}

TEST_F(LoadConfig, ExpandsTheHomeFolderInEveryPath) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::setenv("HOME", folder_.c_str(), 1);
  write("base.yaml", "data:\n  height: 64\n");
  const auto file = write("a.yaml", "base: ~/base.yaml\nensemble:\n  members: [~/a.ts, b~/c.ts]\n");
  const std::vector<std::string> overrides = {"training.output=~/runs/x"};
  const Config config = load_config(file, overrides);
  ::setenv("HOME", home.c_str(), 1);

  EXPECT_EQ(config.data.height, 64);
  EXPECT_EQ(config.training.output, folder_ / "runs/x");
  EXPECT_EQ(config.ensemble.members.at(0), folder_ / "a.ts");
  EXPECT_EQ(config.ensemble.members.at(1), folder_ / "b~/c.ts");
}

TEST_F(LoadConfig, RefusesVariablesInPaths) {
  const auto file = write("a.yaml", "training:\n  output: ${HOME}/x\n");
  EXPECT_THAT(
      message_of<ConfigError>([&] { load_config(file, {}); }),
      HasSubstr(file.string() + ":2: training.output: ${HOME}/x: variables are not expanded here"));
  const std::vector<std::string> overrides = {"data.root=$KITTI"};
  EXPECT_THAT(message_of<ConfigError>([&] { load_config(write("b.yaml", ""), overrides); }),
              HasSubstr("--set data.root=$KITTI: data.root: $KITTI: variables are not expanded"));
}

TEST_F(LoadConfig, ReadsWhatEditorsWrite) {
  const auto file = write("a.yaml",
                          "\xef\xbb\xbf"
                          "data:\r\n  height: +64\r\n");
  EXPECT_EQ(load_config(file, {}).data.height, 64);
  write("a.yaml", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_THAT(message_of<IoError>([&] { load_config(file, {}); }), HasSubstr("git lfs pull"));
}

TEST_F(LoadConfig, TellsTheFilesThatItReads) {
  const auto base = write("base.yaml", "");
  const auto file = write("a.yaml", "base: base.yaml\n");
  EXPECT_THAT(config_files(file), ::testing::ElementsAre(file, base));
}

TEST(OptionChanges, NamesKeyAndBothValues) {
  Config before;
  Config now;
  now.training.batch_size = 3;
  now.data.exclude_members = {0, 2};

  EXPECT_TRUE(option_changes(before, before).empty());
  EXPECT_EQ(option_changes(before, now),
            (std::vector<OptionChange>{{"data.exclude_members", "[]", "[0, 2]"},
                                       {"training.batch_size", "16", "3"}}));
}

TEST(ConfigurationPage, IsTheOneInTheDocumentation) {
  std::ifstream stream(SUPN_SOURCE_DIR "/docs/configuration.md");
  std::ostringstream text;
  text << stream.rdbuf();

  EXPECT_EQ(text.str(), configuration_page())
      << "docs/configuration.md is out of date: write it anew with `supn_ensemble --help-config`";
  EXPECT_THAT(configuration_page(), HasSubstr("| `ensemble.members` | list of paths |"));
}

}  // namespace
}  // namespace supn
