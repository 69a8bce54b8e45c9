// Five frames in KITTI's layout: images of 9×20 pixels, maps of three members at 8×16, ground truth
// of the first and the fourth frame.
#pragma once

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include <fstream>
#include <string>
#include <vector>

#include "io/temporary_folder.hpp"
#include "supn/data/dataset.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {

class SmallSet : public TemporaryFolder {
 protected:
  static constexpr std::int64_t kFrames = 5;
  static constexpr std::int64_t kMembers = 3;
  static constexpr std::int64_t kHeight = 8;
  static constexpr std::int64_t kWidth = 16;

  void SetUp() override {
    TemporaryFolder::SetUp();
    config_.root = folder_ / "kitti";
    config_.samples = folder_ / "samples";
    config_.train_split = folder_ / "train.txt";
    config_.height = kHeight;
    config_.width = kWidth;
    config_.workers = 0;
    std::ofstream split(config_.train_split);
    for (std::int64_t i = 0; i < kFrames; ++i) {
      split << kDrive << ' ' << i << (i == 2 ? " r\n" : " l\n");
      frames_.push_back({kDrive, i, i == 2 ? Camera::kRight : Camera::kLeft});
      write_frame(i);
    }
  }

  void write_frame(std::int64_t i) const {
    const Frame& frame = frames_[static_cast<std::size_t>(i)];
    write_image(image_file(i), stored_image(i));
    write_maps(sample_path(config_.samples, frame, 0), stored_maps(i));
    if (i == 0 || i == 3) write_depth(i, "stereo_depth", stored_depth(i));
  }

  std::filesystem::path image_file(std::int64_t i) const {
    const std::string camera = i == 2 ? "image_03" : "image_02";
    return config_.root / kDrive / camera / "data" / (digits(i) + ".png");
  }
  std::filesystem::path maps_file(std::int64_t i, std::int64_t scale = 0) const {
    return sample_path(config_.samples, frames_[static_cast<std::size_t>(i)], scale);
  }
  static std::string digits(std::int64_t i) { return "000000000" + std::to_string(i); }

  static void write_image(const std::filesystem::path& file, const at::Tensor& image) {
    std::filesystem::create_directories(file.parent_path());
    write_png(file, image);
  }
  static void write_maps(const std::filesystem::path& file, const at::Tensor& maps) {
    std::filesystem::create_directories(file.parent_path());
    write_npy(file, maps);
  }
  void write_depth(std::int64_t i, const std::string& folder, const at::Tensor& metres) const {
    const auto file = config_.root / kDrive / folder / "image_02" / (digits(i) + ".png");
    std::filesystem::create_directories(file.parent_path());
    write_depth_png(file, metres);
  }

  static at::Tensor stored_image(std::int64_t i) {
    return at::arange(9 * 20 * 3).mul(i + 3).remainder(251).to(at::kByte).view({9, 20, 3});
  }
  // Exact in float16 too.
  static at::Tensor stored_maps(std::int64_t i) {
    return at::arange(kMembers * kHeight * kWidth)
        .to(at::kFloat)
        .mul(0.25)
        .add(static_cast<double>(i))
        .view({kMembers, kHeight, kWidth});
  }
  static at::Tensor stored_depth(std::int64_t i) {
    return at::arange(9 * 20).to(at::kFloat).add(static_cast<double>(i)).view({9, 20});
  }

  static constexpr const char* kDrive = "2011_09_26/2011_09_26_drive_0001_sync";
  DataConfig config_;
  std::vector<Frame> frames_;
};

}  // namespace supn
