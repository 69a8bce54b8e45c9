// A Gaussian's functions on a device against those of the CPU's kernels.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "device_place.hpp"
#include "gaussian_fixture.hpp"

namespace supn::test {

inline std::vector<Case> device_cases() {
  std::vector<Case> cases;
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    for (const std::int64_t radius : {0, 1, 2}) cases.push_back({Neighbourhood(radius), dtype});
    for (const std::int64_t classes : {3, 12}) {
      cases.push_back({Neighbourhood(CoarseToFine{classes, 12, 5}), dtype});
    }
  }
  return cases;
}

class DeviceTest : public testing::TestWithParam<std::tuple<Place, Case>> {
 protected:
  void SetUp() override { SUPN_SKIP_WITHOUT(place()); }

  static Place place() { return std::get<0>(GetParam()); }
  static const Case& order() { return std::get<1>(GetParam()); }
  // Wider than a warp and than a block of threads, no multiple of either.
  static StructuredGaussian gaussian(const GaussianShape& shape = {2, 40, 70}) {
    return random_gaussian(order().neighbourhood, shape).to(order().dtype);
  }
  static at::Tensor field(const StructuredGaussian& of, std::int64_t samples = 3) {
    return random_tensor({of.batch(), samples, of.height(), of.width()}, 77).to(order().dtype);
  }

  // Relative to the largest value.
  static void expect_close(const at::Tensor& on_device, const at::Tensor& expected) {
    ASSERT_EQ(on_device.sizes(), expected.sizes());
    ASSERT_EQ(on_device.scalar_type(), expected.scalar_type());
    EXPECT_EQ(on_device.device().type(), device_of(place()).type());
    if (expected.numel() == 0) return;
    const double tolerance = expected.scalar_type() == at::kFloat ? 1e-5 : 1e-10;
    EXPECT_LE(largest_difference(on_device.cpu(), expected), tolerance * largest(expected));
  }

  // function(Gaussian, fields...), all moved.
  template <class Function, class... Fields>
  static void expect_same(const Function& function,
                          const StructuredGaussian& gaussian,
                          const Fields&... fields) {
    expect_close(at_place(place(),
                          [&](const at::Device& device) {
                            return function(gaussian.to(device), fields.to(device)...);
                          }),
                 function(gaussian, fields...));
  }
};

inline std::string device_case_name(const testing::TestParamInfo<std::tuple<Place, Case>>& info) {
  return case_name({std::get<1>(info.param), info.index});
}

// One suite a place: what needs a GPU is seen to be skipped.
#define SUPN_INSTANTIATE_ON_DEVICES(Suite)                                                \
  INSTANTIATE_TEST_SUITE_P(                                                               \
      Cpu,                                                                                \
      Suite,                                                                              \
      testing::Combine(testing::Values(Place::kCpu), testing::ValuesIn(device_cases())),  \
      device_case_name);                                                                  \
  INSTANTIATE_TEST_SUITE_P(                                                               \
      Cuda,                                                                               \
      Suite,                                                                              \
      testing::Combine(testing::Values(Place::kCuda), testing::ValuesIn(device_cases())), \
      device_case_name)

}  // namespace supn::test
