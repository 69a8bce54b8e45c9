// supn_train where its output directory is used already, full, too small or read-only, and where
// the configuration changed in between: one clear line, nothing damaged.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "apps/tiny_training.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<std::string> kShort = {"--set", "training.epochs=1"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Files may have this many bytes: less than the optimizer's state, more than all before it.
void limit_file_size() {
  const rlimit limit{9 << 20, 9 << 20};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

class TrainingOutput : public TinyTraining {
 protected:
  AppRun train_prepared(const std::string& output,
                        const std::vector<std::string>& more,
                        const std::function<void()>& prepare) const {
    std::vector<std::string> all = with(kShort, {"--log-level", "off"});
    AppProcess process(folder_, "supn_train", arguments(output, with(all, more)), prepare);
    return process.finish();
  }

  void expect_no_leftovers() const {
    for (const std::string& file : files())
      EXPECT_EQ(file.find(".part"), std::string::npos) << file;
  }
};

TEST_F(TrainingOutput, OfAnotherRunIsLeftAlone) {
  ASSERT_EQ(train("run", kShort).code, 0);
  const auto before = bytes_below("run");

  const AppRun again = train("run", with(kShort, {"--set", "training.seed=3"}));

  expect_user_error(again, "already holds a run");
  EXPECT_EQ(bytes_below("run"), before);
}

TEST_F(TrainingOutput, ListsWhatChangedAndRefusesWhatWouldCorrupt) {
  ASSERT_EQ(train("run", kShort).code, 0);
  const auto before = bytes_below("run");
  const auto resume = [&](const std::vector<std::string>& more) {
    return train("run", with(with(kShort, {"--resume"}), more));
  };

  const AppRun refused = resume({"--set",
                                 "training.batch_size=3",
                                 "--set",
                                 "data.workers=0",
                                 "--set",
                                 "network.neighbourhood_radius=1"});
  expect_user_error(refused, "training.batch_size was 2, is 3");
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("network.neighbourhood_radius was 2, is 1"),
                    HasSubstr("run/config.yaml"),
                    ::testing::Not(HasSubstr("data.workers"))));
  EXPECT_EQ(bytes_below("run"), before);

  const AppRun accepted = resume({"--set",
                                  "data.workers=0",
                                  "--set",
                                  "training.epochs=2",
                                  "--set",
                                  "training.optimizer.clip_norm=4",
                                  "--log-level",
                                  "info"});
  EXPECT_EQ(accepted.code, 0) << accepted.err;
  EXPECT_THAT(accepted.err,
              AllOf(HasSubstr("data.workers was 1, is 0"),
                    HasSubstr("training.epochs was 1, is 2"),
                    HasSubstr("training.optimizer.clip_norm was 5, is 4")));
}

TEST_F(TrainingOutput, ThatCannotTakeACheckpointKeepsTheOneBefore) {
  ASSERT_EQ(train("straight", with(kShort, {"--set", "training.epochs=2"})).code, 0);
  ASSERT_EQ(train("run", kShort).code, 0);
  const auto last = bytes_below("run/last");
  const std::vector<std::string> more{"--resume", "--set", "training.epochs=2"};

  const AppRun full = train_prepared("run", more, limit_file_size);

  expect_user_error(full, "optimizer.safetensors");
  EXPECT_THAT(full.err, HasSubstr("ulimit -f"));
  EXPECT_EQ(bytes_below("run/last"), last);
  expect_no_leftovers();
  EXPECT_EQ(train("run", with(kShort, more)).code, 0);
  expect_same_run("run", "straight");
}

TEST_F(TrainingOutput, OnAFullDiskSaysSo) {
  // In a mount namespace of its own, which ends with the process.
  const std::string disk = (folder_ / "disk").string();
  fs::create_directory(disk);
  const auto mount_tiny_disk = [&] {
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("supn", disk.c_str(), "tmpfs", 0, "size=4m") == 0;
    if (!mounted) ::_exit(77);
  };

  const AppRun run = train_prepared("disk/run", {}, mount_tiny_disk);

  if (run.code == 77) GTEST_SKIP() << "needs the right to mount (root)";
  expect_user_error(run, "No space left on device");
}

TEST_F(TrainingOutput, ThatIsReadOnlyIsFoundBeforeTheFirstStep) {
  const std::string disk = (folder_ / "disk").string();
  fs::create_directory(disk);
  const auto mount_read_only = [&] {
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("supn", disk.c_str(), "tmpfs", MS_RDONLY, nullptr) == 0;
    if (!mounted) ::_exit(77);
  };

  const AppRun fresh = train_prepared("disk/run", {}, mount_read_only);
  if (fresh.code == 77) GTEST_SKIP() << "needs the right to mount (root)";
  expect_user_error(fresh, "Read-only file system");
  const AppRun existing = train_prepared("disk", {}, mount_read_only);
  expect_user_error(existing, "Read-only file system");
}

TEST_F(TrainingOutput, ReplacesNothingThatNoRunHasWritten) {
  write("mine/metrics.jsonl", "{\"epoch\": 7}\n");
  expect_user_error(train("mine", kShort), "holds metrics.jsonl, which no run has written");
  EXPECT_EQ(bytes_of("mine/metrics.jsonl"), "{\"epoch\": 7}\n");
  EXPECT_FALSE(fs::exists(folder_ / "mine/.lock"));
}

// Of a run that was never saved, whose configuration the user has changed.
TEST_F(TrainingOutput, ReplacesNoConfigurationThatItWasGiven) {
  write("run/.lock", "");
  write("run/config.yaml", "base: ../tiny.yaml\n");
  AppRun run = run_app_program("supn_train",
                               {"--config", "run/config.yaml", "--set", "training.output=run"});
  expect_user_error(run, "run/config.yaml: would be written over");
  write("b.yaml", "base: run/config.yaml\n");
  run = run_app_program("supn_train", {"--config", "b.yaml", "--set", "training.output=./run"});
  expect_user_error(run, "config.yaml: would be written over");
  EXPECT_EQ(bytes_of("run/config.yaml"), "base: ../tiny.yaml\n");
}

TEST_F(TrainingOutput, KeepsWhatAUserPutsIntoACheckpoint) {
  ASSERT_EQ(train("run", kShort).code, 0);
  write("run/last/notes.txt", "mine");
  const AppRun on = train("run", with(kShort, {"--resume", "--set", "training.epochs=2"}));
  expect_user_error(on, "run/last: would be replaced, and holds notes.txt");
  EXPECT_EQ(bytes_of("run/last/notes.txt"), "mine");
}

TEST_F(TrainingOutput, BelowAFileOrASystemFolderIsRefused) {
  write("file", "x");
  expect_user_error(train("file/run", kShort), "file/run");
  expect_user_error(train("/proc/supn_run", kShort), "/proc/supn_run");
}

}  // namespace
}  // namespace supn
