// A long run needs no more memory than a short one.
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <unistd.h>

#include <fstream>

#include "training/run_fixture.hpp"

namespace supn {
namespace {

// Of this process, in MiB.
double resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  file >> size >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

class MemoryRecorder : public TrainingObserver {
 public:
  static constexpr std::int64_t kWarm = 100;

  void on_start(const RunPlan&) override {}
  Continuation on_step(const TrainedStep&) override {
    ++steps;
    const double now = resident_memory();
    if (steps <= kWarm) at_start = std::max(at_start, now);
    highest = std::max(highest, now);
    return Continuation::kGoOn;
  }
  Continuation on_validated(std::int64_t) override { return Continuation::kGoOn; }
  void on_epoch(const EpochReport&) override {}
  void on_warning(const std::string&) override {}

  std::int64_t steps = 0;
  double at_start = 0.0;
  double highest = 0.0;
};

using RunMemory = TrainingRunTest;

TEST_F(RunMemory, IsFlatOverAThousandSteps) {
  constexpr std::int64_t kSide = 32;
  run_.data.height = kSide;
  run_.data.width = kSide;
  run_.data.workers = 1;
  run_.training.batch_size = 1;
  run_.training.epochs = 1;
  run_.training.warm_up.epochs = 0;
  run_.training.optimizer.learning_rate = 1e-6;  // or it would diverge on what is noise
  std::string list;
  for (std::int64_t i = 0; i < 1000; ++i)
    list += std::string(kDrive) + " " + std::to_string(i % 6) + " l\n";
  put(run_.data.train_split, list);
  for (std::int64_t i = 0; i < 6; ++i) {
    const Frame frame{kDrive, i, Camera::kLeft};
    write_npy(sample_path(run_.data.samples, frame, 0), at::randn({4, kSide, kSide}) * 0.1);
  }
  MemoryRecorder recorder;

  run_training(run_, recorder);

  EXPECT_EQ(recorder.steps, 1000);
  // A leak of one batch or one gradient a step would be 30 MiB and more.
  EXPECT_LT(recorder.highest - recorder.at_start, 12.0) << "MiB more than in the first steps";
  RecordProperty("growth_mib", std::to_string(recorder.highest - recorder.at_start));
}

}  // namespace
}  // namespace supn
