// The images that the page can choose from, and what is known of each.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "inference/gaussian_source.hpp"
#include "inference/inputs.hpp"
#include "supn/config/config.hpp"
#include "supn/data/kitti.hpp"
#include "view/options.hpp"

namespace supn {

struct Picture {
  InputImage image;
  at::Tensor rgb = {};      // uint8 [H,W,3] of the image's own size, or undefined
  ImageSize size = {};      // whose pixels measured depths count: the image's, else the maps'
  at::Tensor depth_m = {};  // [H,W], 0 = none; undefined where nothing is measured
  at::Tensor members = {};  // logits float32 [S,h,w] of the maps' size, or undefined
};

class Gallery {
 public:
  // Throws ConfigError and IoError where there is no image, or several with measured depths.
  Gallery(const ViewArguments& arguments,
          const std::optional<Config>& config,
          const GaussianSource& source);

  const std::vector<InputImage>& images() const { return images_; }

  // Throws IoError for a file that is missing or damaged.
  Picture load(std::size_t index) const;

 private:
  at::Tensor read_members(const Frame& frame) const;

  const ViewArguments& arguments_;
  const GaussianSource& source_;
  std::optional<DataConfig> data_;
  std::vector<Frame> frames_;  // of the split, in the order of images_
  std::vector<InputImage> images_;
};

}  // namespace supn
