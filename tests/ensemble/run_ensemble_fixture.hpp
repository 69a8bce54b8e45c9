// A small set of images, and members that run over it.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "ensemble/ensemble_fixture.hpp"
#include "supn/ensemble/run_ensemble.hpp"
#include "supn/errors.hpp"
#include "supn/io/image.hpp"
#include "supn/network/member_network.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {

inline const std::string kRed = "  return x[:, 0:1]\n";
inline const std::string kNegative = "  return -x[:, 0:1]\n";

// A set of three images of 32×64 in the KITTI layout.
class RunEnsemble : public EnsembleFiles {
 protected:
  void SetUp() override {
    EnsembleFiles::SetUp();
    data_.root = folder_ / "kitti";
    data_.samples = folder_ / "samples";
    data_.height = 32;
    data_.width = 64;
    std::ofstream split(folder_ / "split.txt");
    for (int i = 0; i < 3; ++i) {
      split << "2011_09_26/2011_09_26_drive_0001_sync " << i << " l\n";
    }
    split.close();
    frames_ = read_split(folder_ / "split.txt");
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const auto folder = data_.root / frames_[i].drive / "image_02" / "data";
      std::filesystem::create_directories(folder);
      const std::string name = "000000000" + std::to_string(i) + ".png";
      write_png(folder / name, pixels(static_cast<std::int64_t>(i)));
    }
  }

  static at::Tensor pixels(std::int64_t image) {
    return (at::arange(32 * 64 * 3).view({32, 64, 3}) * (image + 3)).remainder(251).to(at::kByte);
  }
  // What a member sees of the first channel: [1,32,64].
  static at::Tensor red(std::int64_t image) {
    return pixels(image).select(2, 0).to(at::kFloat).div(255.0).unsqueeze(0);
  }

  EnsembleConfig two_members() const {
    EnsembleConfig config;
    config.members = {member("a.ts", kRed), member("b.ts", kNegative)};
    return config;
  }
  EnsembleReport run(const EnsembleConfig& config) const {
    return run_ensemble(config, data_, frames_, at::Device(at::kCPU), {[](ImageOutcome, auto) {}});
  }
  std::filesystem::path file(std::size_t frame, const std::string& name = "logit_0.npy") const {
    return data_.samples / frames_[frame].id() / name;
  }
  template <class Error>
  std::string fault(const EnsembleConfig& config) const {
    return message_of<Error>([&] { run(config); });
  }

  DataConfig data_;
  std::vector<Frame> frames_;
};

}  // namespace supn
