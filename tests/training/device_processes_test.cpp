// Two processes that share every step, on one device, by Gloo. Each is this program again, which
// runs the part below.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "device_place.hpp"
#include "supn/training/process_group.hpp"
#include "training/free_port.hpp"
#include "training/tiny_batch.hpp"
#include "training/trainer_fixture.hpp"

extern char** environ;

namespace supn::test {
namespace {

constexpr const char* kReport = "SUPN_TEST_REPORT";
constexpr const char* kDevice = "SUPN_TEST_DEVICE";
constexpr std::int64_t kSteps = 3;

Batch part_of(const Batch& whole, std::int64_t rank, std::int64_t size) {
  const std::int64_t count = whole.image.size(0) / size;
  Batch part;
  part.image = whole.image.narrow(0, rank * count, count);
  for (const at::Tensor& maps : whole.predictions) {
    part.predictions.push_back(maps.narrow(0, rank * count, count));
  }
  const auto first = whole.names.begin() + rank * count;
  part.names.assign(first, first + count);
  part.depth_m.resize(static_cast<std::size_t>(count));
  return part;
}

std::vector<double> trained(const at::Device& device, const ProcessPlace& place) {
  SupnNetwork network = testing_data::resnet_network();
  network->to(device);
  TrainingConfig config = testing_data::quick_config();
  config.optimizer.learning_rate = 1e-4;
  Trainer trainer(network, config, 10);
  trainer.share_steps(std::make_shared<ProcessGroup>(place));
  std::vector<double> losses;
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    const Batch whole = testing_data::tiny_batch(i, /*images=*/4, /*scales=*/4);
    losses.push_back(trainer.step(part_of(whole, place.rank, place.size)).loss);
  }
  return losses;
}

// The program again, with a place among two.
pid_t start(int rank, const std::string& port, const std::string& device, const std::string& out) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  for (const std::string& more : {std::string("WORLD_SIZE=2"),
                                  "RANK=" + std::to_string(rank),
                                  "LOCAL_RANK=" + std::to_string(rank),
                                  std::string("MASTER_ADDR=127.0.0.1"),
                                  "MASTER_PORT=" + port,
                                  std::string(kDevice) + "=" + device,
                                  std::string(kReport) + "=" + out}) {
    variables.push_back(more);
  }
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::vector<std::string> words{
      program, "--gtest_filter=PartOfABatch.*IsTrainedOn", "--gtest_also_run_disabled_tests"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  EXPECT_EQ(posix_spawn(
                &process, program.c_str(), nullptr, nullptr, arguments.data(), environment.data()),
            0);
  return process;
}

class ProcessesOnDevice : public testing::TestWithParam<Place> {
 protected:
  void SetUp() override { SUPN_SKIP_WITHOUT(GetParam()); }
};

TEST_P(ProcessesOnDevice, HaveTheLossesOfOne) {
#ifdef SUPN_NCCL
  if (GetParam() == Place::kCuda) GTEST_SKIP() << "NCCL wants a GPU for each process";
#endif
  const at::Device device = device_of(GetParam());
  const std::vector<double> expected = trained(device, {});
  const std::filesystem::path folder = testing::TempDir();
  const std::string port = free_port();
  std::vector<pid_t> processes;
  std::vector<std::string> reports;
  for (int rank = 0; rank < 2; ++rank) {
    reports.push_back(folder / ("supn_part_" + std::to_string(::getpid()) + std::to_string(rank)));
    processes.push_back(start(rank, port, device.is_cuda() ? "cuda" : "cpu", reports.back()));
  }
  for (const pid_t process : processes) {
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
  }
  for (const std::string& report : reports) {
    std::ifstream stream(report);
    for (const double loss : expected) {
      double own = 0.0;
      ASSERT_TRUE(stream >> own) << report;
      EXPECT_NEAR(own, loss, 1e-3 * std::max(1.0, std::abs(loss)));
    }
    std::filesystem::remove(report);
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, ProcessesOnDevice, testing::Values(Place::kCpu));
INSTANTIATE_TEST_SUITE_P(Cuda, ProcessesOnDevice, testing::Values(Place::kCuda));

TEST(PartOfABatch, HasItsImages) {
  const Batch whole = testing_data::tiny_batch(1, /*images=*/4, /*scales=*/4);
  const Batch second = part_of(whole, 1, 2);
  EXPECT_TRUE(second.image.equal(whole.image.narrow(0, 2, 2)));
  EXPECT_TRUE(second.predictions.back().equal(whole.predictions.back().narrow(0, 2, 2)));
  EXPECT_EQ(second.names, (std::vector<std::string>{whole.names[2], whole.names[3]}));
}

// Not a test of its own: what ProcessesOnDevice starts.
TEST(PartOfABatch, DISABLED_IsTrainedOn) {
  ASSERT_NE(std::getenv(kReport), nullptr) << "only ProcessesOnDevice starts this";
  const std::string report = std::getenv(kReport);
  const bool on_gpu = std::string(std::getenv(kDevice)) == "cuda";
  const auto losses = at_place(on_gpu ? Place::kCuda : Place::kCpu, [](const at::Device& device) {
    return trained(device, process_place());
  });
  std::ofstream stream(report);
  stream.precision(17);
  for (const double loss : losses) {
    EXPECT_TRUE(std::isfinite(loss));
    stream << loss << '\n';
  }
  EXPECT_TRUE(stream.flush()) << report;
}

}  // namespace
}  // namespace supn::test
