// The stored Gaussian fixtures (dense float64 algebra): shared/golden, see its README.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn::test {

inline std::filesystem::path golden_folder() {
  return std::filesystem::path(SUPN_SHARED_DIR) / "golden";
}

// float64 or int64, C order.
inline at::Tensor read_fixture(const std::string& name) {
  std::ifstream file(golden_folder() / (name + ".npy"), std::ios::binary);
  std::string start(10, '\0');
  file.read(start.data(), 10);
  const auto length =
      static_cast<unsigned char>(start[8]) + 256 * static_cast<unsigned char>(start[9]);
  std::string header(static_cast<std::size_t>(length), '\0');
  file.read(header.data(), length);
  const bool integers = header.find("'<i8'") != std::string::npos;
  if (!file || (!integers && header.find("'<f8'") == std::string::npos)) {
    throw std::runtime_error("not a float64 or int64 fixture: " + name);
  }
  std::vector<std::int64_t> shape;
  const std::string tuple = header.substr(header.find('('));
  const std::regex number("[0-9]+");
  for (std::sregex_iterator i(tuple.begin(), tuple.end(), number), end; i != end; ++i) {
    shape.push_back(std::stoll(i->str()));
  }
  at::Tensor tensor =
      at::empty(shape, at::TensorOptions().dtype(integers ? at::kLong : at::kDouble));
  file.read(static_cast<char*>(tensor.mutable_data_ptr()), tensor.numel() * 8);
  if (!file) throw std::runtime_error("fixture is cut short: " + name);
  return tensor;
}

// Parameter: the radius, 1 or 2.
class GoldenGaussian : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(golden_folder()))
      GTEST_SKIP() << golden_folder() << " is not there";
  }
  at::Tensor fixture(const std::string& name) const {
    return read_fixture("g" + std::to_string(GetParam()) + "_" + name);
  }
  // [C,12,17] as a batch of one.
  at::Tensor field(const std::string& name) const { return fixture(name).reshape({1, -1, 12, 17}); }
  StructuredGaussian gaussian() const {
    return {field("mean"), field("phi"), field("psi"), Neighbourhood(GetParam())};
  }
};

}  // namespace supn::test
