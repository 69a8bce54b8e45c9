// Runs that are stopped and gone on with.
#include <algorithm>

#include "supn/errors.hpp"
#include "training/run_fixture.hpp"

namespace supn {
namespace {

TEST_F(TrainingRunTest, ResumedIsByteIdenticalToNeverStopped) {
  Recorder straight;
  run_training(run_, straight);
  const std::string last = checkpoint_bytes("last");
  const std::string best = checkpoint_bytes("best");
  const auto lines = epoch_lines();

  // At the end of the warm-up, at the end of an epoch, in the middle of one.
  for (const auto& [epoch, step] : {std::pair{1, 0}, {2, 0}, {3, 1}}) {
    std::filesystem::remove_all(run_.training.output);
    Recorder stopped;
    stopped.stop_epoch = epoch;
    stopped.stop_step = step;
    run_.start = RunStart::kFresh;
    EXPECT_THROW(run_training(run_, stopped), Stopped);
    EXPECT_NE(checkpoint_bytes("last"), last);

    Recorder resumed;
    run_.start = RunStart::kResume;
    run_training(run_, resumed);

    EXPECT_EQ(resumed.plan.finished.finished_epochs, step == 0 ? epoch : epoch - 1);
    EXPECT_TRUE(checkpoint_bytes("last") == last) << "stopped in epoch " << epoch;
    EXPECT_TRUE(checkpoint_bytes("best") == best) << "stopped in epoch " << epoch;
    EXPECT_EQ(epoch_lines(), lines) << "stopped in epoch " << epoch;
    EXPECT_TRUE(resumed.plan.changes.empty());
  }
}

TEST_F(TrainingRunTest, FromCoarseToFineGoesOnBitForBit) {
  run_.network = {.backbone = Backbone::kCompact, .order = PixelOrder::kCoarseToFine};
  run_.training.losses.mean = MeanLoss::kL1;
  Recorder straight;
  run_training(run_, straight);
  const std::string last = checkpoint_bytes("last");
  const auto lines = epoch_lines();
  std::filesystem::remove_all(run_.training.output);
  Recorder stopped;
  stopped.ask_to_stop_after = 5;  // in the middle of the last epoch
  EXPECT_EQ(run_training(run_, stopped).end, RunEnd::kStopped);

  run_.start = RunStart::kResume;
  Recorder resumed;
  run_training(run_, resumed);

  EXPECT_TRUE(checkpoint_bytes("last") == last);
  EXPECT_EQ(epoch_lines(), lines);
  EXPECT_EQ(lines.back()["val"]["levels"].size(), 6U);
  EXPECT_EQ(lines.back()["train"]["level_variances"].size(), 6U);
}

TEST_F(TrainingRunTest, GoesOnBitForBitFromAnyStepWhereItWasAskedToStop) {
  Recorder straight;
  run_training(run_, straight);
  const std::string last = checkpoint_bytes("last");
  const std::string best = checkpoint_bytes("best");
  const auto lines = epoch_lines();
  std::filesystem::remove_all(run_.training.output);

  for (std::int64_t step = 1; step <= 6; ++step) {
    Recorder stopped;
    stopped.ask_to_stop_after = step;
    const TrainingResult result = run_training(run_, stopped);
    run_.start = RunStart::kResume;
    EXPECT_EQ(result.end, RunEnd::kStopped);
    EXPECT_EQ(result.finished.finished_steps, step);
    EXPECT_EQ(stopped.steps.size(), 1U) << "resumed at step " << step;
  }
  Recorder validated;
  validated.stop_in_validation = true;
  EXPECT_EQ(run_training(run_, validated).end, RunEnd::kStopped);
  EXPECT_TRUE(validated.steps.empty());
  Recorder end;
  run_training(run_, end);

  EXPECT_TRUE(checkpoint_bytes("last") == last);
  EXPECT_TRUE(checkpoint_bytes("best") == best);
  EXPECT_EQ(epoch_lines(), lines);
}

TEST_F(TrainingRunTest, SavesEverySoManySteps) {
  run_.training.checkpoint.every = 3;
  Recorder straight;
  run_training(run_, straight);
  const std::string last = checkpoint_bytes("last");
  std::filesystem::remove_all(run_.training.output);
  Recorder killed;
  killed.stop_epoch = 3;
  killed.stop_step = 1;  // step 5 of the run; saved were 3, in the middle of the epoch, and 4

  EXPECT_THROW(run_training(run_, killed), Stopped);
  const auto end_of_second_epoch = checkpoint_bytes("last");
  std::filesystem::remove_all(run_.training.output);
  killed = {};
  killed.stop_epoch = 2;
  killed.stop_step = 2;  // step 4
  EXPECT_THROW(run_training(run_, killed), Stopped);
  EXPECT_FALSE(checkpoint_bytes("last") == end_of_second_epoch);
  Recorder resumed;
  run_.start = RunStart::kResume;
  run_training(run_, resumed);

  EXPECT_EQ(resumed.plan.finished.finished_steps, 3);
  EXPECT_TRUE(checkpoint_bytes("last") == last);
}

TEST_F(TrainingRunTest, KeepsTheNewestCheckpoints) {
  run_.training.checkpoint = {.every = 1, .keep = 3};
  Recorder recorder;
  run_training(run_, recorder);

  std::vector<std::string> kept;
  for (const auto& entry : std::filesystem::directory_iterator(run_.training.output / "steps")) {
    kept.push_back(entry.path().filename());
  }
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(kept, (std::vector<std::string>{"00000004", "00000005", "00000006"}));
  EXPECT_TRUE(checkpoint_bytes("steps/00000006") == checkpoint_bytes("last"));

  // An older one takes the place of last/: the run goes on from there.
  const std::string last = checkpoint_bytes("last");
  std::filesystem::remove_all(run_.training.output / "last");
  std::filesystem::rename(run_.training.output / "steps/00000005", run_.training.output / "last");
  run_.start = RunStart::kResume;
  Recorder resumed;
  run_training(run_, resumed);
  EXPECT_EQ(resumed.plan.finished.finished_steps, 5);
  EXPECT_TRUE(checkpoint_bytes("last") == last);
}

TEST_F(TrainingRunTest, RecoversACheckpointWhoseReplacementWasKilled) {
  Recorder stopped;
  stopped.ask_to_stop_after = 3;
  run_training(run_, stopped);
  const auto last = run_.training.output / "last";
  std::filesystem::rename(last, run_.training.output / ".last.replaced");
  put(run_.training.output / ".last.part4711" / "model.safetensors", "half");

  Recorder fresh;
  EXPECT_NE(message_of<ConfigError>([&] { run_training(run_, fresh); }).find("already holds a run"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(last)) << "moved before the directory was locked";
  std::filesystem::create_directories(run_.training.output / "steps/.00000002.replaced");
  run_.start = RunStart::kResume;
  Recorder resumed;
  run_training(run_, resumed);

  EXPECT_EQ(resumed.plan.finished.finished_steps, 3);
  EXPECT_FALSE(std::filesystem::exists(run_.training.output / ".last.part4711"));
  EXPECT_FALSE(std::filesystem::exists(run_.training.output / "steps/.00000002.replaced"));
}

TEST_F(TrainingRunTest, WritesTheBestCheckpointThatAKillHasCost) {
  Recorder killed;
  killed.stop_epoch = 2;  // the first with a likelihood: it is the best
  EXPECT_THROW(run_training(run_, killed), Stopped);
  const std::string best = checkpoint_bytes("best");
  std::filesystem::remove_all(run_.training.output / "best");
  run_.start = RunStart::kResume;
  Recorder resumed;
  resumed.stop_epoch = 3;
  resumed.stop_step = 1;

  EXPECT_THROW(run_training(run_, resumed), Stopped);

  EXPECT_TRUE(checkpoint_bytes("best") == best);
}

TEST_F(TrainingRunTest, RefusesACheckpointWithoutTheOptimizersState) {
  Recorder stopped;
  stopped.ask_to_stop_after = 3;  // in the middle of an epoch
  run_training(run_, stopped);
  const auto optimizer = run_.training.output / "last/optimizer.safetensors";
  std::filesystem::remove(optimizer);
  const std::string metrics = bytes_of(run_.training.output / "metrics.jsonl");
  run_.start = RunStart::kResume;
  Recorder resumed;

  EXPECT_NE(message_of<IoError>([&] { run_training(run_, resumed); }).find(optimizer.string()),
            std::string::npos);

  EXPECT_EQ(bytes_of(run_.training.output / "metrics.jsonl"), metrics);
}

TEST_F(TrainingRunTest, DoesNotBeginWhereKeptCheckpointsAre) {
  put(run_.training.output / "steps/00000004/model.safetensors", "of another run");
  Recorder fresh;

  EXPECT_NE(message_of<ConfigError>([&] { run_training(run_, fresh); }).find("holds a run (steps)"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(run_.training.output / "steps/00000004"));
}

TEST_F(TrainingRunTest, RefusesWhatWouldCorruptARunAndListsWhatElseChanged) {
  Recorder recorder;
  run_training(run_, recorder);
  const std::string before = checkpoint_bytes("last");
  run_.start = RunStart::kResume;
  run_.resolved_config = "training: {seed: 1}\n";
  const std::vector<OptionChange> harmless = {{"data.workers", "2", "4"},
                                              {"training.optimizer.learning_rate", "1", "2"}};
  run_.changes_since = [&](const std::filesystem::path& file) {
    EXPECT_EQ(file, run_.training.output / "last/config.yaml");
    return std::vector<OptionChange>{{"training.seed", "0", "1"}, harmless[0]};
  };
  const std::string message = message_of<ConfigError>([&] { run_training(run_, recorder); });
  EXPECT_NE(message.find("training.seed was 0, is 1"), std::string::npos) << message;
  EXPECT_EQ(message.find("data.workers"), std::string::npos) << message;
  EXPECT_TRUE(checkpoint_bytes("last") == before);

  run_.changes_since = [&](const std::filesystem::path&) { return harmless; };
  Recorder accepted;
  run_training(run_, accepted);
  EXPECT_EQ(accepted.plan.changes, harmless);
}

TEST_F(TrainingRunTest, RefusesToGoOnWithOtherImagesOrAnotherBatchSize) {
  Recorder recorder;
  run_training(run_, recorder);
  run_.start = RunStart::kResume;
  run_.training.epochs = 4;
  TrainingRun batch = run_;
  batch.training.batch_size = 4;
  EXPECT_NE(message_of<ConfigError>([&] { run_training(batch, recorder); }).find("batch_size"),
            std::string::npos);
  const auto same_elsewhere = folder_ / "moved.txt";
  std::filesystem::copy(run_.data.train_split, same_elsewhere);
  put(run_.data.train_split, std::string(kDrive) + " 5 l\n" + std::string(kDrive) + " 4 l\n");
  EXPECT_NE(message_of<ConfigError>([&] { run_training(run_, recorder); }).find("train_split"),
            std::string::npos);
  run_.data.train_split = same_elsewhere;
  EXPECT_EQ(run_training(run_, recorder).finished.finished_epochs, 5);
}

TEST_F(TrainingRunTest, GivesTheSameBitsForAnyNumberOfLoaderThreads) {
  std::string first;
  for (const std::int64_t workers : {0, 1, 2}) {
    std::filesystem::remove_all(run_.training.output);
    run_.data.workers = workers;
    Recorder recorder;
    run_training(run_, recorder);
    if (first.empty()) first = checkpoint_bytes("last");
    EXPECT_TRUE(checkpoint_bytes("last") == first) << workers;
  }
}

TEST_F(TrainingRunTest, RefusesToResumeWhereThereIsNothingOrAnotherNetwork) {
  Recorder recorder;
  run_.start = RunStart::kResume;
  EXPECT_NE(message_of<ConfigError>([&] { run_training(run_, recorder); }).find("without --resume"),
            std::string::npos);
  run_.start = RunStart::kFresh;
  run_training(run_, recorder);
  run_.start = RunStart::kResume;
  run_.network.neighbourhood_radius = 2;
  EXPECT_NE(message_of<ConfigError>([&] { run_training(run_, recorder); }).find("another network"),
            std::string::npos);
}

}  // namespace
}  // namespace supn
