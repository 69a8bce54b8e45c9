// Training on a device against the CPU's kernels.
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string_view>
#include <tuple>

#if __has_include(<c10/core/CachingDeviceAllocator.h>)
#include <c10/core/CachingDeviceAllocator.h>
#endif

#include "device_place.hpp"
#include "supn/errors.hpp"
#include "training/step/precision.hpp"
#include "training/tiny_batch.hpp"
#include "training/trainer_fixture.hpp"

namespace supn::test {
namespace {

using testing_data::tiny_batch;

struct NamedTraining {
  const char* name;
  SupnNetwork (*network)();
  std::int64_t scales;
};

void PrintTo(const NamedTraining& training, std::ostream* out) { *out << training.name; }

SupnNetwork factored_network() {
  return testing_data::network(Backbone::kCompact, OffDiagonalForm::kFactored, 2);
}

std::vector<NamedTraining> trainings() {
  return {{"RasterResnet", testing_data::resnet_network, 4},
          {"RasterFactored", factored_network, 3},
          {"CoarseToFine", testing_data::coarse_to_fine_network, 3}};
}

// Noise and samples too are made on the device.
TrainingConfig config() {
  TrainingConfig result = testing_data::quick_config();
  result.optimizer.learning_rate = 1e-4;
  result.losses.target_noise = 0.05;
  result.losses.energy_match = 0.1;
  result.losses.energy_samples = 2;
  return result;
}

class TrainingOnDevice : public testing::TestWithParam<std::tuple<Place, NamedTraining>> {
 protected:
  void SetUp() override { SUPN_SKIP_WITHOUT(place()); }
  static Place place() { return std::get<0>(GetParam()); }

  static SupnNetwork network_on(const at::Device& device) {
    SupnNetwork network = std::get<1>(GetParam()).network();
    network->to(device);
    return network;
  }
  static Batch batch(std::uint64_t seed) {
    return tiny_batch(seed, /*images=*/2, std::get<1>(GetParam()).scales);
  }
  static std::vector<double> losses(Trainer& trainer, std::uint64_t first, std::uint64_t count) {
    std::vector<double> found;
    for (std::uint64_t i = first; i < first + count; ++i) {
      found.push_back(trainer.step(batch(i % 4)).loss);
    }
    return found;
  }
  static void expect_near(const std::vector<double>& found,
                          const std::vector<double>& expected,
                          double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
          << "step " << i;
    }
  }
};

TEST_P(TrainingOnDevice, HasTheLossesOfTheCpu) {
  const auto trained = [](const at::Device& device) {
    Trainer trainer(network_on(device), config(), 20);
    return losses(trainer, 0, 20);
  };
  const std::vector<double> expected = trained(at::Device(at::kCPU));
  expect_near(at_place(place(), trained), expected, 1e-3);
}

TEST_P(TrainingOnDevice, GoesOnFromItsSavedState) {
  at_place(place(), [](const at::Device& device) {
    Trainer trainer(network_on(device), config(), 20);
    losses(trainer, 0, 3);
    const auto weights = testing_data::state_of(trainer.network());
    const auto moments = trainer.optimizer_state();
    for (const auto& [name, tensor] : moments) EXPECT_TRUE(tensor.is_cpu()) << name;
    SupnNetwork fresh = network_on(device);
    testing_data::load_state(fresh, weights);
    Trainer resumed(fresh, config(), 20);
    resumed.restore(trainer.progress(), moments);
    // A GPU's sums have no fixed order.
    expect_near(losses(resumed, 3, 3), losses(trainer, 3, 3), device.is_cuda() ? 1e-4 : 0.0);
    return true;
  });
}

// What makes the host wait for the device, or reads from it.
class HostReads {
 public:
  HostReads() {
    reads_ = copies_ = 0;
    callback_ = at::addGlobalCallback(at::RecordFunctionCallback(&enter, &leave).needsInputs(true));
  }
  ~HostReads() { at::removeCallback(callback_); }
  HostReads(const HostReads&) = delete;
  HostReads& operator=(const HostReads&) = delete;

  static int reads() { return reads_; }    // of single values, or of sizes that depend on values
  static int copies() { return copies_; }  // from a GPU to the host

 private:
  static constexpr std::string_view kAdam = "aten::_fused_adam_";  // on the CPU reads its counters

  static std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& function) {
    const std::string_view name = function.name();
    if (name == kAdam) ++in_adam_;
    const bool reads = name == "aten::_local_scalar_dense" || name == "aten::nonzero" ||
                       name == "aten::masked_select" || name == "aten::equal";
    if (reads && in_adam_ == 0) ++reads_;
    if (name == "aten::copy_" && function.inputs().size() > 1 && function.inputs()[0].isTensor() &&
        function.inputs()[1].isTensor() && function.inputs()[0].toTensor().is_cpu() &&
        function.inputs()[1].toTensor().is_cuda()) {
      ++copies_;
    }
    return nullptr;
  }
  static void leave(const at::RecordFunction& function, at::ObserverContext*) {
    if (function.name() == kAdam) --in_adam_;
  }

  static inline std::atomic<int> reads_ = 0;
  static inline std::atomic<int> copies_ = 0;
  static inline std::atomic<int> in_adam_ = 0;
  at::CallbackHandle callback_;
};

TEST_P(TrainingOnDevice, ReadsFromTheDeviceOnceAStep) {
  at_place(place(), [](const at::Device& device) {
    Trainer trainer(network_on(device), config(), 20);
    losses(trainer, 0, 1);
    const HostReads watch;
    losses(trainer, 1, 2);
    EXPECT_EQ(watch.reads(), 0);
    EXPECT_EQ(watch.copies(), device.is_cuda() ? 2 : 0);
    return true;
  });
}

TEST_P(TrainingOnDevice, TakesWeightsLaidOutChannelsLast) {
  at_place(place(), [](const at::Device& device) {
    Trainer contiguous(network_on(device), config(), 20);
    SupnNetwork network = network_on(device);
    lay_out_channels_last(*network);
    Trainer trainer(network, config(), 20);
    expect_near(losses(trainer, 0, 3), losses(contiguous, 0, 3), 1e-4);
    // The moments of a file are contiguous; the optimizer wants the weights' layout.
    trainer.restore(trainer.progress(), trainer.optimizer_state());
    expect_near(losses(trainer, 3, 2), losses(contiguous, 3, 2), 1e-3);
    return true;
  });
}

TEST_P(TrainingOnDevice, LearnsWithConvolutionsOfLessPrecision) {
  at_place(place(), [](const at::Device& device) {
    Trainer exact(network_on(device), config(), 20);
    const std::vector<double> expected = losses(exact, 0, 8);
    for (const Precision precision : {Precision::kTf32, Precision::kBf16}) {
      TrainingConfig rounded = config();
      rounded.precision = precision;
      try {
        Trainer trainer(network_on(device), rounded, 20);
        expect_near(losses(trainer, 0, 8), expected, 0.1);
      } catch (const ConfigError& error) {
        EXPECT_NE(std::string_view(error.what()).find("AVX512-BF16"), std::string_view::npos);
      }
    }
    return true;
  });
}

TEST(StepPrecision, RestoresWhatWasSet) {
  const bool before = at::globalContext().allowTF32CuDNN();
  {
    const StepPrecision exact(Precision::kFloat32);
    EXPECT_FALSE(at::globalContext().allowTF32CuDNN());
    const StepPrecision rounded(Precision::kTf32);
    EXPECT_TRUE(at::globalContext().allowTF32CuDNN());
  }
  EXPECT_EQ(at::globalContext().allowTF32CuDNN(), before);
}

std::string training_name(const testing::TestParamInfo<std::tuple<Place, NamedTraining>>& info) {
  return std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Cpu,
                         TrainingOnDevice,
                         testing::Combine(testing::Values(Place::kCpu),
                                          testing::ValuesIn(trainings())),
                         training_name);
INSTANTIATE_TEST_SUITE_P(Cuda,
                         TrainingOnDevice,
                         testing::Combine(testing::Values(Place::kCuda),
                                          testing::ValuesIn(trainings())),
                         training_name);

// Of the device's memory; the CPU keeps no such counts.
using MemoryOfTraining = TrainingOnDevice;

TEST_P(MemoryOfTraining, IsFreed) {
#if __has_include(<c10/core/CachingDeviceAllocator.h>)
  const auto allocated = [] {
    constexpr std::size_t kAllSizes = 0;
    return at::getDeviceAllocator(at::kCUDA)->getDeviceStats(0).allocated_bytes[kAllSizes].current;
  };
  // Libraries keep workspaces of their own from their first call on.
  { Trainer(network_on(device_of(place())), config(), 20).step(batch(0)); }
  const std::int64_t before = allocated();
  {
    Trainer trainer(network_on(device_of(place())), config(), 20);
    losses(trainer, 0, 3);
    const std::int64_t after_some = allocated();
    losses(trainer, 3, 9);
    EXPECT_LE(allocated(), after_some + (1 << 20));
  }
  EXPECT_LE(allocated(), before + (1 << 20));
#else
  GTEST_SKIP() << "this LibTorch has no common counts of a device's memory";
#endif
}

INSTANTIATE_TEST_SUITE_P(Cuda,
                         MemoryOfTraining,
                         testing::Combine(testing::Values(Place::kCuda),
                                          testing::ValuesIn(trainings())),
                         training_name);

}  // namespace
}  // namespace supn::test
