#include "supn/training/run.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/temporary_folder.hpp"
#include "supn/data/kitti.hpp"
#include "supn/errors.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/serialization/npy.hpp"
#include "training/tiny_batch.hpp"

namespace supn {
namespace {

constexpr const char* kDrive = "2011_09_26/2011_09_26_drive_0001_sync";

// Ends a run at a place, as Ctrl-C would.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

class Recorder : public TrainingObserver {
 public:
  void on_start(const RunPlan& given) override { plan = given; }
  void on_step(const StepReport&, std::int64_t epoch, std::int64_t step) override {
    if (epoch == stop_epoch && step == stop_step) throw Stopped();
  }
  void on_validated(std::int64_t images) override { validated += images; }
  void on_epoch(const EpochReport& report) override {
    epochs.push_back(report);
    if (report.epoch == stop_epoch && stop_step == 0) throw Stopped();
  }
  void on_warning(const std::string& message) override { warnings.push_back(message); }

  std::int64_t stop_epoch = -1;
  std::int64_t stop_step = 0;  // 0: at the epoch's end
  RunPlan plan;
  std::int64_t validated = 0;
  std::vector<EpochReport> epochs;
  std::vector<std::string> warnings;
};

// Four training and two validation scenes at 64x64, validation with ground truth.
class TrainingRunTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    run_.data.root = folder_ / "kitti";
    run_.data.samples = folder_ / "samples";
    run_.data.train_split = folder_ / "train.txt";
    run_.data.val_split = folder_ / "val.txt";
    run_.data.height = testing_data::kHeight;
    run_.data.width = testing_data::kWidth;
    run_.network = {.backbone = Backbone::kCompact,
                    .neighbourhood_radius = 1,
                    .off_diagonal = OffDiagonalForm::kRelative};
    run_.training.epochs = 2;
    run_.training.batch_size = 2;
    run_.training.warm_up.epochs = 1;
    run_.training.optimizer.learning_rate = 1e-3;
    run_.training.losses.target_noise = 0.01;
    run_.training.output = folder_ / "run";
    run_.evaluation.protocol = AccuracyProtocol::kEigenBenchmark;
    run_.resolved_config = "training: {}\n";
    std::string lists[2];
    for (std::int64_t i = 0; i < 6; ++i) {
      write_scene(i);
      lists[i < 4 ? 0 : 1] += std::string(kDrive) + ' ' + std::to_string(i) + " l\n";
    }
    put(run_.data.train_split, lists[0]);
    put(run_.data.val_split, lists[1]);
  }

  void write_scene(std::int64_t i) const {
    const Batch scene = testing_data::tiny_batch(static_cast<std::uint64_t>(100 + i), 1);
    const Frame frame{kDrive, i, Camera::kLeft};
    const auto image = run_.data.root / (frame.id() + ".png");
    const auto in_data = image.parent_path() / "data" / image.filename();
    std::filesystem::create_directories(in_data.parent_path());
    write_png(in_data, scene.image[0].mul(255.0).round().to(at::kByte).permute({1, 2, 0}));
    const auto maps = sample_path(run_.data.samples, frame, 0);
    std::filesystem::create_directories(maps.parent_path());
    write_npy(maps, scene.predictions[0][0]);
    if (i < 4) return;
    const auto depth = run_.data.root / kDrive / "stereo_depth/image_02" / image.filename();
    std::filesystem::create_directories(depth.parent_path());
    write_depth_png(depth, at::full({testing_data::kHeight, testing_data::kWidth}, 5.0));
  }

  std::string checkpoint_bytes(const std::string& name) const {
    std::string bytes;
    for (const char* part : {"model.safetensors", "optimizer.safetensors", "progress.json"}) {
      bytes += bytes_of(run_.training.output / name / part);
    }
    return bytes;
  }

  std::vector<nlohmann::json> epoch_lines() const {
    std::ifstream stream(run_.training.output / "metrics.jsonl");
    std::vector<nlohmann::json> lines;
    for (std::string text; std::getline(stream, text);) {
      nlohmann::json line = nlohmann::json::parse(text);
      line.erase("seconds");
      lines.push_back(line);
    }
    return lines;
  }

  TrainingRun run_;
};

TEST_F(TrainingRunTest, WritesBestAndLastCheckpointsMetricsAndConfiguration) {
  Recorder recorder;

  const TrainingResult result = run_training(run_, recorder);

  EXPECT_EQ(result.finished_epochs, 3);
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
  for (const char* name : {"best", "last"}) {
    const LoadedNetwork loaded = load_network(run_.training.output / name);
    EXPECT_EQ(loaded.network->config(), run_.network);
    EXPECT_EQ(loaded.input_size, run_.data.size());
  }
}

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

    EXPECT_EQ(resumed.plan.finished_epochs, step == 0 ? epoch : epoch - 1);
    EXPECT_TRUE(checkpoint_bytes("last") == last) << "stopped in epoch " << epoch;
    EXPECT_TRUE(checkpoint_bytes("best") == best) << "stopped in epoch " << epoch;
    EXPECT_EQ(epoch_lines(), lines) << "stopped in epoch " << epoch;
    EXPECT_TRUE(resumed.warnings.empty() ||
                resumed.warnings.front().find("configuration") == std::string::npos);
  }
}

TEST_F(TrainingRunTest, RefusesADirectoryThatHoldsARun) {
  Recorder recorder;
  run_training(run_, recorder);
  const std::string last = checkpoint_bytes("last");

  const std::string message = message_of<ConfigError>([&] { run_training(run_, recorder); });

  EXPECT_NE(message.find("--resume"), std::string::npos) << message;
  EXPECT_TRUE(checkpoint_bytes("last") == last);
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

TEST_F(TrainingRunTest, WarnsWhenSamplesHaveAnotherSpreadThanTheMembers) {
  // With a learning rate of almost nothing the samples stay those of the initial network.
  run_.training.warm_up.epochs = 0;
  run_.training.epochs = 1;
  run_.training.optimizer.learning_rate = 1e-9;
  Recorder recorder;

  run_training(run_, recorder);

  const double ratio = recorder.epochs[0].validation->std_ratio->median;
  ASSERT_GT(ratio, 2.0);
  ASSERT_EQ(recorder.warnings.size(), 1U);
  EXPECT_NE(recorder.warnings[0].find("explode"), std::string::npos) << recorder.warnings[0];
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
