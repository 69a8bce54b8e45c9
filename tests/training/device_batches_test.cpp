// Batches on their way to a device.
#include "training/step/device_batches.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "device_place.hpp"
#include "training/tiny_batch.hpp"

namespace supn::test {
namespace {

using testing_data::tiny_batch;

class BatchesToDevice : public testing::TestWithParam<Place> {
 protected:
  void SetUp() override { SUPN_SKIP_WITHOUT(GetParam()); }

  // All that are made.
  DeviceBatches in_order() {
    return {[this]() -> std::optional<Batch> {
              if (given_ == made_.size()) return std::nullopt;
              return made_[given_++];
            },
            device_of(GetParam())};
  }

  const std::vector<Batch> made_{tiny_batch(0), tiny_batch(1), tiny_batch(2), tiny_batch(3)};
  std::size_t given_ = 0;
};

TEST_P(BatchesToDevice, ComeInOrderAndWhole) {
  DeviceBatches ahead = in_order();
  for (const Batch& expected : made_) {
    const std::optional<Batch> batch = ahead.next();
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->names, expected.names);
    EXPECT_EQ(batch->image.device().type(), device_of(GetParam()).type());
    EXPECT_TRUE(batch->image.cpu().equal(expected.image));
    ASSERT_EQ(batch->predictions.size(), expected.predictions.size());
    for (std::size_t scale = 0; scale < expected.predictions.size(); ++scale) {
      EXPECT_TRUE(batch->predictions[scale].cpu().equal(expected.predictions[scale]));
    }
  }
  EXPECT_FALSE(ahead.next());
  EXPECT_FALSE(ahead.next());
}

TEST_P(BatchesToDevice, ThrowWhatTheirSourceThrows) {
  int calls = 0;
  DeviceBatches ahead(
      [&]() -> std::optional<Batch> {
        if (++calls > 1) throw std::runtime_error("no more");
        return made_.front();
      },
      device_of(GetParam()));
  EXPECT_TRUE(ahead.next());
  EXPECT_THROW(ahead.next(), std::runtime_error);
  EXPECT_THROW(ahead.next(), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Cpu, BatchesToDevice, testing::Values(Place::kCpu));
INSTANTIATE_TEST_SUITE_P(Cuda, BatchesToDevice, testing::Values(Place::kCuda));

}  // namespace
}  // namespace supn::test
