#include "supn/training/run.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "supn/errors.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/network/training_range.hpp"
#include "supn/serialization/safetensors.hpp"
#include "training/run_fixture.hpp"

namespace supn {
namespace {

TEST_F(TrainingRunTest, WritesBestAndLastCheckpointsMetricsAndConfiguration) {
  Recorder recorder;

  const TrainingResult result = run_training(run_, recorder);

  EXPECT_EQ(result.end, RunEnd::kFinished);
  EXPECT_EQ(result.finished.finished_epochs, 3);
  EXPECT_EQ(result.finished.finished_steps, 6);
  EXPECT_GE(result.best_epoch, 2);  // never the warm-up
  EXPECT_EQ(recorder.plan.steps_per_epoch, 2);
  EXPECT_EQ(recorder.plan.train_images, 4);
  EXPECT_EQ(recorder.validated, 3 * 2);
  ASSERT_EQ(recorder.epochs.size(), 3U);
  EXPECT_TRUE(recorder.epochs[0].validation->log_likelihood.empty());
  const ValidationReport& last = *recorder.epochs[2].validation;
  EXPECT_EQ(last.log_likelihood.size(), 3U);
  EXPECT_TRUE(last.abs_rel.has_value());
  EXPECT_TRUE(last.std_ratio.has_value());
  EXPECT_EQ(bytes_of(run_.training.output / "config.yaml"), run_.resolved_config);
  EXPECT_EQ(epoch_lines().size(), 3U + 6U);
  EXPECT_TRUE(std::filesystem::exists(run_.training.output / "metrics.csv"));
  ASSERT_EQ(recorder.steps.size(), 6U);
  EXPECT_GT(recorder.steps[3].seconds, recorder.steps[3].waiting_seconds);
  EXPECT_GT(recorder.epochs[2].images_per_second, 0.0);
  EXPECT_GT(recorder.epochs[2].residual_variance, 0.0);
  for (const char* name : {"best", "last"}) {
    const LoadedNetwork loaded = load_network(run_.training.output / name);
    EXPECT_EQ(loaded.network->config(), run_.network);
    EXPECT_EQ(loaded.input_size, run_.data.size());
  }
}

TEST_F(TrainingRunTest, WritesCurvesHistogramsAndPicturesForTensorBoard) {
  run_.training.tensorboard = {.every = 2, .images = 1};
  Recorder recorder;
  run_training(run_, recorder);

  std::string all;
  for (const auto& entry :
       std::filesystem::directory_iterator(run_.training.output / "tensorboard")) {
    all += bytes_of(entry.path());
  }
  const std::string image = std::string(kDrive) + "/image_02/0000000004";
  for (const std::string& tag : {std::string("loss/total"),
                                 std::string("l1/scale_0"),
                                 std::string("nll/scale_2"),
                                 std::string("speed/waiting"),
                                 std::string("val/residual_variance"),
                                 std::string("factor/rho"),
                                 "input/" + image,
                                 "std/" + image,
                                 "truth/" + image}) {
    EXPECT_NE(all.find(tag), std::string::npos) << tag;
  }
  EXPECT_EQ(all.find("image_02/0000000005"), std::string::npos);

  run_.training.output = folder_ / "quiet";
  run_.training.tensorboard.every = 0;
  Recorder quiet;
  run_training(run_, quiet);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "quiet/tensorboard"));
}

// The files of a run that was stopped after each of these numbers of steps, and gone on with.
TEST_F(TrainingRunTest, RefusesADirectoryInWhichAnotherProcessTrains) {
  std::filesystem::create_directories(run_.training.output);
  const int other = open((run_.training.output / ".lock").c_str(), O_RDWR | O_CREAT, 0644);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  Recorder recorder;

  const std::string message = message_of<ConfigError>([&] { run_training(run_, recorder); });

  EXPECT_NE(message.find("another process"), std::string::npos) << message;
  close(other);
  EXPECT_EQ(run_training(run_, recorder).end, RunEnd::kFinished);
}

TEST_F(TrainingRunTest, RefusesADirectoryThatHoldsARun) {
  Recorder recorder;
  run_training(run_, recorder);
  const std::string last = checkpoint_bytes("last");

  const std::string message = message_of<ConfigError>([&] { run_training(run_, recorder); });

  EXPECT_NE(message.find("--resume"), std::string::npos) << message;
  EXPECT_TRUE(checkpoint_bytes("last") == last);
}

TEST_F(TrainingRunTest, WarnsWhenSamplesHaveAnotherSpreadThanTheMembers) {
  // With a learning rate of almost nothing the samples stay those of the initial network.
  run_.training.warm_up.epochs = 0;
  run_.training.epochs = 1;
  run_.training.optimizer.learning_rate = 1e-9;
  run_.evaluation.scale = DepthScaleMode::kMedian;
  Recorder recorder;

  run_training(run_, recorder);

  const double ratio = recorder.epochs[0].validation->std_ratio->median;
  ASSERT_GT(ratio, 2.0);
  ASSERT_EQ(recorder.warnings.size(), 1U);
  EXPECT_NE(recorder.warnings[0].find("explode"), std::string::npos) << recorder.warnings[0];
}

TEST_F(TrainingRunTest, WarnsWhereTheFixedScaleDoesNotFitTheGroundTruth) {
  run_.training.epochs = 1;
  run_.evaluation.fixed_scale = 5400.0;
  Recorder recorder;

  run_training(run_, recorder);

  ASSERT_FALSE(recorder.warnings.empty());
  EXPECT_NE(recorder.warnings[0].find("evaluation.scale: median"), std::string::npos)
      << recorder.warnings[0];
}

TEST_F(TrainingRunTest, StartsFromAnotherRunsWeights) {
  Recorder recorder;
  run_training(run_, recorder);
  const auto first = run_.training.output / "last";
  run_.training.output = folder_ / "second";
  run_.training.initial_weights = first;
  run_.training.warm_up.epochs = 0;
  run_.training.epochs = 1;
  run_.training.optimizer.learning_rate = 1e-12;
  Recorder second;

  run_training(run_, second);

  ASSERT_TRUE(second.plan.initial_weights.has_value());
  EXPECT_TRUE(second.plan.initial_weights->missing.empty());
  const auto before = state_of(*load_network(first).network);
  for (const auto& [name, tensor] : state_of(*load_network(folder_ / "second/last").network)) {
    EXPECT_TRUE(at::allclose(tensor, before.at(name), 0.0, 1e-9)) << name;
  }
}

TEST_F(TrainingRunTest, StartsFromTheMembersLevelWithoutInitialWeights) {
  run_.training.epochs = 0;
  run_.training.warm_up.epochs = 1;
  run_.training.warm_up.learning_rate = 1e-12;
  run_.training.seed = 5;
  Recorder recorder;
  run_training(run_, recorder);

  const auto state = state_of(*load_network(run_.training.output / "last").network);
  std::vector<double> heads;
  for (const auto& [name, tensor] : state) {
    if (tensor.dim() == 1 && tensor.numel() == 1 && name.find("supn") == std::string::npos) {
      heads.push_back(tensor.item<double>());
    }
  }
  ASSERT_EQ(heads.size(), 3U);
  for (const double head : heads) EXPECT_NEAR(head, -1.0, 0.3);  // tiny_batch: 2·0.5 − 2
}

TEST_F(TrainingRunTest, RefusesInitialWeightsOfAnotherBackboneUnlessAskedFor) {
  const SupnNetwork other(NetworkConfig{.backbone = Backbone::kResnet18});
  write_safetensors(folder_ / "other.safetensors", {state_of(*other), {}});
  run_.training.initial_weights = folder_ / "other.safetensors";
  Recorder recorder;

  const std::string fault = message_of<IoError>([&] { run_training(run_, recorder); });

  EXPECT_NE(fault.find("is of backbone resnet18, the network's is compact: 0 %"), std::string::npos)
      << fault;
  EXPECT_FALSE(std::filesystem::exists(run_.training.output));

  // An encoder alone is less than half of the compact network, and may be wished for.
  const SupnNetwork same(run_.network);
  auto encoder = state_of(*same);
  std::erase_if(encoder, [](const auto& item) { return !item.first.starts_with("convs."); });
  write_safetensors(folder_ / "encoder.safetensors", {encoder, {}});
  run_.training.initial_weights = folder_ / "encoder.safetensors";
  run_.training.initial_share = 0.999;
  EXPECT_NE(message_of<IoError>([&] { run_training(run_, recorder); }).find("initial_share"),
            std::string::npos);
  run_.training.initial_share = 0.0;
  run_training(run_, recorder);
  EXPECT_TRUE(std::filesystem::exists(run_.training.output / "last"));
}

TEST_F(TrainingRunTest, RefusesInitialWeightsWhoseSkipsItLacks) {
  const SupnNetwork other(NetworkConfig{.backbone = Backbone::kCompactUnet});
  write_safetensors(folder_ / "other.safetensors", {state_of(*other), {}});
  run_.training.initial_weights = folder_ / "other.safetensors";
  Recorder recorder;
  const std::string fault = message_of<IoError>([&] { run_training(run_, recorder); });
  EXPECT_NE(fault.find("is of backbone compact_unet, the network's is compact"), std::string::npos)
      << fault;
}

TEST_F(TrainingRunTest, KeepsWhichImagesTheNetworkKnowsInItsCheckpoints) {
  Recorder recorder;
  run_training(run_, recorder);
  const auto best = read_training_range(run_.training.output / "best");
  const auto last = read_training_range(run_.training.output / "last");
  ASSERT_TRUE(best.has_value());
  ASSERT_TRUE(last.has_value());
  EXPECT_GT(best->largest_spread, 0.0);
  EXPECT_GT(best->mean[0], 0.0);
}

TEST_F(TrainingRunTest, WritesTheStartingNetworkWhereNoEpochsAreAskedFor) {
  const SupnNetwork initial(run_.network);
  write_safetensors(folder_ / "initial.safetensors", {state_of(*initial), {}});
  run_.training.initial_weights = folder_ / "initial.safetensors";
  run_.training.epochs = 0;
  run_.training.warm_up.epochs = 0;
  Recorder recorder;

  const TrainingResult result = run_training(run_, recorder);

  EXPECT_EQ(result.finished.finished_steps, 0);
  EXPECT_EQ(result.best_epoch, 0);
  const LoadedNetwork written = load_network(run_.training.output / "last");
  for (const auto& [name, tensor] : state_of(*initial)) {
    EXPECT_TRUE(tensor.equal(state_of(*written.network).at(name))) << name;
  }
  run_.start = RunStart::kResume;
  run_.training.epochs = 1;
  EXPECT_EQ(run_training(run_, recorder).finished.finished_epochs, 1);
}

TEST_F(TrainingRunTest, NamesWhatIsWrongWithItsInputs) {
  Recorder recorder;
  TrainingRun batch = run_;
  batch.training.batch_size = 5;
  EXPECT_NE(message_of<ConfigError>([&] { run_training(batch, recorder); }).find("batch_size"),
            std::string::npos);
  TrainingRun output = run_;
  output.training.output.clear();
  EXPECT_NE(message_of<ConfigError>([&] { run_training(output, recorder); }).find("output"),
            std::string::npos);
  put(folder_ / "file", "");
  output.training.output = folder_ / "file" / "run";
  EXPECT_NE(message_of<IoError>([&] { run_training(output, recorder); }).find("file/run"),
            std::string::npos);
  TrainingRun weights = run_;
  weights.training.initial_weights = folder_ / "none.safetensors";
  EXPECT_NE(message_of<IoError>([&] { run_training(weights, recorder); }).find("none.safetensors"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(run_.training.output / "last"));
}

}  // namespace
}  // namespace supn
