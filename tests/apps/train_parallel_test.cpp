// supn_train as several processes, started as torchrun starts them.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "apps/tiny_training.hpp"
#include "training/free_port.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

using Environment = std::map<std::string, std::string>;

// Set for as long as it lives: processes started meanwhile have it.
class EnvironmentGuard {
 public:
  explicit EnvironmentGuard(Environment variables) : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~EnvironmentGuard() {
    for (const auto& [name, value] : variables_) ::unsetenv(name.c_str());
  }
  EnvironmentGuard(const EnvironmentGuard&) = delete;
  EnvironmentGuard& operator=(const EnvironmentGuard&) = delete;

 private:
  Environment variables_;
};

class ParallelTraining : public TinyTraining {
 protected:
  // A process writes its output beside its folder: one folder each, with the same paths in them.
  std::unique_ptr<AppProcess> start(int rank,
                                    const std::string& port,
                                    const std::string& output,
                                    const std::vector<std::string>& more) const {
    const std::string own = folder_ / ("process" + std::to_string(rank));
    std::filesystem::create_directories(own);
    std::vector<std::string> all = arguments((folder_ / output).string(), more);
    all[1] = (folder_ / "tiny.yaml").string();
    const EnvironmentGuard environment(Environment{{"RANK", std::to_string(rank)},
                                                   {"LOCAL_RANK", std::to_string(rank)},
                                                   {"WORLD_SIZE", "2"},
                                                   {"MASTER_ADDR", "127.0.0.1"},
                                                   {"MASTER_PORT", port}});
    return std::make_unique<AppProcess>(own, "supn_train", all, [] {
      std::signal(SIGINT, SIG_DFL);
      std::signal(SIGTERM, SIG_DFL);
    });
  }

  std::vector<std::unique_ptr<AppProcess>> start_two(const std::string& output,
                                                     const std::vector<std::string>& more) const {
    const std::string port = free_port();
    std::vector<std::unique_ptr<AppProcess>> processes;
    for (int rank = 0; rank < 2; ++rank) processes.push_back(start(rank, port, output, more));
    return processes;
  }

  void train_two(const std::string& output, const std::vector<std::string>& more) const {
    for (const auto& process : start_two(output, more)) {
      const AppRun run = process->finish();
      EXPECT_EQ(run.code, 0) << run.err;
    }
  }

  static std::vector<std::string> settings(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"--log-level", "warn", "--set", "training.batch_size=4"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  // Loss and gradient norm of every step of one run, relative to another's.
  void expect_same_curve(const std::string& run, const std::string& expected) const {
    const std::vector<nlohmann::json> found = metrics(run);
    const std::vector<nlohmann::json> wanted = metrics(expected);
    ASSERT_EQ(found.size(), wanted.size());
    int steps = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].at("kind") != "step") continue;
      ++steps;
      const double loss = wanted[i].at("loss").get<double>();
      EXPECT_NEAR(found[i].at("loss").get<double>(), loss, 1e-5 * std::max(1.0, std::abs(loss)))
          << wanted[i];
      const double term = wanted[i].at("terms").at(0).get<double>();
      EXPECT_NEAR(found[i].at("terms").at(0).get<double>(), term, 1e-5 * std::max(1.0, term));
      const double norm = wanted[i].at("gradient_norm").get<double>();
      EXPECT_NEAR(found[i].at("gradient_norm").get<double>(), norm, 1e-3 * norm);
    }
    EXPECT_GE(steps, 3);
  }
};

TEST_F(ParallelTraining, TwoProcessesWithHalfABatchEachHaveTheCurveOfOne) {
  const std::vector<std::string> more =
      settings({"--set", "training.optimizer.learning_rate=1e-4"});
  ASSERT_EQ(train("one", more).code, 0);

  train_two("two", more);

  expect_same_curve("two", "one");
}

TEST_F(ParallelTraining, FromCoarseToFineTwoProcessesHaveTheCurveOfOne) {
  const std::vector<std::string> more = settings({"--set",
                                                  "training.optimizer.learning_rate=1e-4",
                                                  "--set",
                                                  "network.order=coarse_to_fine",
                                                  "--set",
                                                  "network.off_diagonal=paper",
                                                  "--set",
                                                  "training.losses.mean=l1",
                                                  "--set",
                                                  "training.losses.std_match=0"});
  ASSERT_EQ(train("one", more).code, 0);

  train_two("two", more);

  expect_same_curve("two", "one");
}

// ResNet18 normalises by the statistics of the batch: of the whole batch, not of each half. Small
// steps, since a network without weights to start from blows rounding up from step to step.
TEST_F(ParallelTraining, BatchNormSeesTheWholeBatch) {
  write("tiny.yaml",
        std::string(kConfig).replace(
            std::string(kConfig).find("compact"), std::string("compact").size(), "resnet18"));
  ASSERT_NO_FATAL_FAILURE(synthesise("128x64", 12, 2, 0));
  const std::vector<std::string> more = settings({"--set",
                                                  "data.height=64",
                                                  "--set",
                                                  "data.width=128",
                                                  "--set",
                                                  "training.epochs=1",
                                                  "--set",
                                                  "training.warm_up.epochs=0",
                                                  "--set",
                                                  "training.optimizer.learning_rate=1e-7"});
  ASSERT_EQ(train("one", more).code, 0);

  train_two("two", more);

  expect_same_curve("two", "one");
}

TEST_F(ParallelTraining, GoesOnBitForBitAfterOneProcessWasAskedToStop) {
  train_two("straight", settings());
  const auto processes = start_two("run", settings());
  ASSERT_TRUE(wait_until(*processes[1], [&] { return logged_lines("run") >= 2; }));
  processes[1]->send(SIGTERM);
  for (const auto& process : processes) {
    const AppRun run = process->finish();
    EXPECT_NE(run.code, 0);
    EXPECT_THAT(run.err, HasSubstr("go on with: torchrun --nproc-per-node 2 --no-python "));
  }

  train_two("run", settings({"--resume"}));

  expect_same_run("run", "straight");
}

TEST_F(ParallelTraining, ALostProcessEndsTheOtherWithinSeconds) {
  for (const std::size_t lost : {0U, 1U}) {
    const std::string output = "run" + std::to_string(lost);
    const auto processes = start_two(output, settings({"--set", "training.epochs=1000"}));
    ASSERT_TRUE(wait_until(*processes[0], [&] { return logged_lines(output) >= 2; }));

    processes[lost]->send(SIGKILL);
    const auto begin = std::chrono::steady_clock::now();
    const AppRun other = processes[1 - lost]->finish();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

    expect_user_error(other, "has lost another one, and stops as well");
    EXPECT_THAT(other.err, HasSubstr("--resume"));
    EXPECT_LT(seconds.count(), 20.0);
  }
}

TEST_F(ParallelTraining, RefusesABatchThatCannotBeShared) {
  for (const auto& process : start_two("run", settings({"--set", "training.batch_size=3"}))) {
    expect_user_error(process->finish(), "training.batch_size: 3 images a step");
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(ParallelTraining, SaysForWhomAProcessWaitsAndNoMore) {
  const std::string port = free_port();
  const auto process = start(1, port, "run", {"--log-level", "info"});
  std::this_thread::sleep_for(std::chrono::seconds(8));
  process->send(SIGKILL);
  const AppRun run = process->finish();
  EXPECT_THAT(run.err, HasSubstr("process 1 of 2 waits for the other 1 at 127.0.0.1:" + port));
  EXPECT_THAT(run.err, ::testing::Not(HasSubstr("frame #")));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

TEST_F(ParallelTraining, NamesTheVariableThatIsMissing) {
  const EnvironmentGuard environment(Environment{{"WORLD_SIZE", "2"}});
  expect_user_error(train("run"), "RANK: not set, though WORLD_SIZE is 2");
}

}  // namespace
}  // namespace supn
