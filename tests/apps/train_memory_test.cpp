// A long training needs no more memory than a short one, though supn_train keeps what it frees.
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "apps/tiny_training.hpp"

namespace supn {
namespace {

constexpr std::int64_t kSteps = 1000;
constexpr std::int64_t kWarmSteps = 100;

// Resident, in MiB; 0 once the process is gone.
double memory_of(const AppProcess& process) {
  std::ifstream file("/proc/" + std::to_string(process.id()) + "/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  file >> size >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

class TrainingMemory : public TinyTraining {
 protected:
  // One image a step, the same few over and over.
  void write_long_split() const {
    const std::string bytes = bytes_of("road/splits/train_files.txt");
    std::string list;
    while (std::count(list.begin(), list.end(), '\n') < kSteps) list += bytes;
    std::size_t end = 0;
    for (std::int64_t line = 0; line < kSteps; ++line) end = list.find('\n', end) + 1;
    write("long.txt", list.substr(0, end));
  }
};

TEST_F(TrainingMemory, IsFlatOverAThousandSteps) {
  write_long_split();
  AppProcess process(folder_,
                     "supn_train",
                     arguments("long",
                               {"--set",
                                "data.train_split=long.txt",
                                "--set",
                                "training.batch_size=1",
                                "--set",
                                "training.epochs=1",
                                "--set",
                                "training.warm_up.epochs=0",
                                "--set",
                                "training.optimizer.learning_rate=1e-6"}));
  double warm = 0.0;
  double later = 0.0;
  while (process.is_running()) {
    const double now = memory_of(process);
    const std::int64_t steps = logged_lines("long");
    if (steps <= kWarmSteps) {
      warm = std::max(warm, now);
    } else if (steps < kSteps) {  // what validates and draws after the last needs more
      later = std::max(later, now);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

  const AppRun run = process.finish();
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_GE(logged_lines("long"), kSteps);
  EXPECT_GT(warm, 50.0);
  EXPECT_GT(later, 50.0);
  // A leak of one batch or one gradient a step would be 30 MiB and more.
  EXPECT_LT(later - warm, 12.0) << "MiB more than in the first steps";
  RecordProperty("warm_mib", std::to_string(warm));
  RecordProperty("growth_mib", std::to_string(later - warm));
}

}  // namespace
}  // namespace supn
