// supn_train, killed without warning at random moments and gone on with, against never stopping.
#include <csignal>
#include <random>
#include <thread>

#include "apps/tiny_training.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

class KilledTraining : public TinyTraining {
 protected:
  static std::vector<std::string> settings() {
    return {"--log-level",
            "off",
            "--set",
            "training.epochs=19",
            "--set",
            "training.validation.every=5",
            "--set",
            "training.checkpoint.every=4",
            "--set",
            "training.checkpoint.keep=2"};
  }

  // A directory under construction in the run's directory.
  bool is_saving() const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_ / "killed", error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(".last.part") || name.starts_with(".best.part")) return true;
    }
    return false;
  }

  AppProcess start() const {
    std::vector<std::string> more = settings();
    const bool resumes =
        fs::exists(folder_ / "killed/last") || fs::exists(folder_ / "killed/.last.replaced");
    if (resumes) more.emplace_back("--resume");
    return {folder_, "supn_train", arguments("killed", more)};
  }

  void sleep_up_to(int microseconds) {
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution(0, microseconds)(random_)));
  }

  // Whether it was still running then.
  bool kill_at_random_step() {
    AppProcess process = start();
    // What was not saved is dropped from the log first: count from there.
    const std::int64_t before = logged_lines("killed");
    wait_until(process, [&] { return logged_lines("killed") != before || before == 0; });
    const std::int64_t target =
        logged_lines("killed") + std::uniform_int_distribution<std::int64_t>(1, 6)(random_);
    const bool running = wait_until(process, [&] { return logged_lines("killed") >= target; });
    sleep_up_to(30000);
    process.send(SIGKILL);
    return process.finish().code == 128 + SIGKILL && running;
  }

  // Whether a checkpoint was being written.
  bool kill_while_saving() {
    AppProcess process = start();
    // What the process before left half-written is removed first.
    wait_until(process, [&] { return !is_saving(); });
    wait_until(process, [&] { return is_saving(); });
    sleep_up_to(15000);
    process.send(SIGKILL);
    return process.finish().code == 128 + SIGKILL && is_saving();
  }

  std::mt19937 random_{20260101};
};

TEST_F(KilledTraining, GoesOnBitForBit) {
  ASSERT_EQ(train("straight", settings()).code, 0);
  int kills = 0;
  int kills_while_saving = 0;
  for (int attempt = 0; attempt < 40 && kills < 22; ++attempt) {
    const bool saving = attempt % 3 == 2;
    if (saving ? kill_while_saving() : kill_at_random_step()) {
      ++kills;
      kills_while_saving += saving ? 1 : 0;
    }
  }
  EXPECT_GE(kills, 20);
  EXPECT_GE(kills_while_saving, 3);
  EXPECT_LT(logged_lines("killed"), logged_lines("straight")) << "it was at its end already";

  std::vector<std::string> more = settings();
  more.emplace_back("--resume");
  const AppRun end = train("killed", more);

  EXPECT_EQ(end.code, 0) << end.err;
  expect_same_run("killed", "straight");
  for (const std::string& file : files()) {
    EXPECT_EQ(file.find(".part"), std::string::npos) << file << " was left behind";
    EXPECT_EQ(file.find(".replaced"), std::string::npos) << file << " was left behind";
  }
  RecordProperty("kills", kills);
  RecordProperty("kills_while_saving", kills_while_saving);
}

}  // namespace
}  // namespace supn
