// Ground truth that belongs to its image. A map of another size shows another part of the scene, as
// crops do: laid over the image it gives wrong numbers that look right, so it is refused wherever
// the two meet.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

#include "supn/data/data_config.hpp"
#include "supn/data/kitti.hpp"
#include "supn/image_size.hpp"

namespace supn {

// Throws IoError naming both sizes unless they agree.
void check_depth_size(const std::filesystem::path& depth,
                      const ImageSize& found,
                      const ImageSize& image);

// The frame's ground truth, float32 [H,W] of its image's size, metres, 0 = none; undefined where no
// data.depth_folders has it. The image, where it is there, is looked at but not decoded.
// Throws IoError as read_depth_png, read_image_size and check_depth_size.
at::Tensor read_frame_depth(const DataConfig& config, const Frame& frame);

}  // namespace supn
