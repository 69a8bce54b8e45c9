// For apps that take --gaussian: a small Gaussian over logits, as a file.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/app_runner.hpp"
#include "apps/smooth_gaussian.hpp"
#include "supn/network/gaussian_file.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {

// Logits around −2 (depths of about 4.4 m at scale 5.4) that vary smoothly, on 12×16 pixels.
class GaussianAppTest : public AppTest {
 protected:
  static constexpr std::int64_t kHeight = 12;
  static constexpr std::int64_t kWidth = 16;

  void SetUp() override {
    AppTest::SetUp();
    write_gaussian(folder_ / "g.safetensors", {gaussian_, kLogitOfDisparity, {}}, at::kFloat);
  }

  at::Tensor array(const std::string& name) const { return read_npy(folder_ / name); }
  nlohmann::json json(const std::string& name) const {
    std::ifstream stream(folder_ / name);
    return nlohmann::json::parse(stream);
  }

  StructuredGaussian gaussian_ = smooth_gaussian({kHeight, kWidth});
};

}  // namespace supn
