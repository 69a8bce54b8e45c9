#include "common/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include "supn/errors.hpp"

namespace supn {
namespace {

std::string fault(const std::string& name) {
  try {
    resolve_device(name);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ResolveDevice, FindsTheBestOneThereIs) {
  EXPECT_TRUE(resolve_device("cpu").is_cpu());
  EXPECT_EQ(resolve_device("auto").is_cuda(), torch::cuda::is_available());
}

TEST(ResolveDevice, RefusesOtherSpellings) {
  for (const char* name : {"gpu", "", "cuda:", "cuda:x", "cuda:-1", "cuda0", "CPU", "cuda:1:2"}) {
    EXPECT_THAT(fault(name), ::testing::HasSubstr("expected auto, cpu, cuda or cuda:<index>"))
        << name;
  }
}

TEST(ResolveDevice, SaysWhatIsMissing) {
  if (torch::cuda::is_available()) {
    EXPECT_THAT(fault("cuda:99"), ::testing::HasSubstr("the index is at most"));
  } else {
    EXPECT_THAT(fault("cuda:1"), ::testing::HasSubstr("CUDA"));
    EXPECT_THAT(fault("cuda"), ::testing::HasSubstr("use --device cpu"));
  }
}

}  // namespace
}  // namespace supn
