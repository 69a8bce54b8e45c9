// A whole training run on a tiny set, and what an observer saw of it.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/temporary_folder.hpp"
#include "supn/data/kitti.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/serialization/npy.hpp"
#include "supn/training/run.hpp"
#include "training/tiny_batch.hpp"

namespace supn {

inline constexpr const char* kDrive = "2011_09_26/2011_09_26_drive_0001_sync";

// Ends a run at a place without saving it.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

class Recorder : public TrainingObserver {
 public:
  void on_start(const RunPlan& given) override { plan = given; }
  Continuation on_step(const TrainedStep& step) override {
    steps.push_back(step);
    if (step.epoch == stop_epoch && step.step == stop_step) throw Stopped();
    const bool asked =
        plan.finished.finished_steps + static_cast<std::int64_t>(steps.size()) == ask_to_stop_after;
    return asked ? Continuation::kStop : Continuation::kGoOn;
  }
  Continuation on_validated(std::int64_t images) override {
    validated += images;
    return stop_in_validation ? Continuation::kStop : Continuation::kGoOn;
  }
  void on_epoch(const EpochReport& report) override {
    epochs.push_back(report);
    if (report.epoch == stop_epoch && stop_step == 0) throw Stopped();
  }
  void on_warning(const std::string& message) override { warnings.push_back(message); }

  std::int64_t stop_epoch = -1;
  std::int64_t stop_step = 0;           // 0: at the epoch's end
  std::int64_t ask_to_stop_after = -1;  // steps of the whole run
  bool stop_in_validation = false;
  RunPlan plan;
  std::vector<TrainedStep> steps;
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
      for (const char* key : {"seconds", "images_per_second", "waiting"}) line.erase(key);
      lines.push_back(line);
    }
    return lines;
  }

  TrainingRun run_;
};

}  // namespace supn
