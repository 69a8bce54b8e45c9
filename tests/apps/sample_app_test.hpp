// For supn_sample: an untrained network and images.
#pragma once

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/app_runner.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/network/gaussian_file.hpp"
#include "supn/network/training_range.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {

// An untrained network for 32×64 and two images of other sizes.
class SupnSample : public AppTest {
 protected:
  void SetUp() override {
    AppTest::SetUp();
    save_network("net", OffDiagonalForm::kFactored);
    std::filesystem::create_directories(folder_ / "images");
    write_picture("images/a.png", 40, 90);
    write_picture("images/b.png", 70, 100);
  }
  void save_network(const std::string& name, OffDiagonalForm form) const {
    at::manual_seed(3);
    SupnNetwork network(NetworkConfig{.backbone = Backbone::kCompact, .off_diagonal = form});
    save_checkpoint(folder_ / name, {network, {32, 64}, {}, "", ""});
  }
  void write_picture(const std::string& name, std::int64_t height, std::int64_t width) const {
    write_png(folder_ / name,
              at::arange(height * width * 3).view({height, width, 3}).remainder(253).to(at::kByte));
  }
  AppRun run(std::vector<std::string> arguments) const {
    std::vector<std::string> all = {"--checkpoint", "net"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_app_program("supn_sample", all);
  }
  at::Tensor array(const std::string& name) const { return read_npy(folder_ / name); }
  nlohmann::json json(const std::string& name) const {
    std::ifstream stream(folder_ / name);
    return nlohmann::json::parse(stream);
  }
};

}  // namespace supn
