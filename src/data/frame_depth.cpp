#include "supn/data/frame_depth.hpp"

#include <optional>
#include <string>

#include "supn/errors.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"

namespace supn {
namespace {

std::optional<std::filesystem::path> present_image(const std::filesystem::path& root,
                                                   const Frame& frame) {
  try {
    return image_path(root, frame);
  } catch (const IoError&) {
    return std::nullopt;  // reported where the image itself is needed
  }
}

}  // namespace

void check_depth_size(const std::filesystem::path& depth,
                      const ImageSize& found,
                      const ImageSize& image) {
  if (found == image) return;
  throw IoError(depth,
                "expected the image's size, " + size_text(image) + ", found " + size_text(found) +
                    "; replace the depth map by that of this image");
}

at::Tensor read_frame_depth(const DataConfig& config, const Frame& frame) {
  const auto file = depth_path(config.root, frame, config.depth_folders);
  if (!file) return {};
  at::Tensor depth_m = read_depth_png(*file);
  if (const auto image = present_image(config.root, frame)) {
    check_depth_size(*file, {depth_m.size(0), depth_m.size(1)}, read_image_size(*image));
  }
  return depth_m;
}

}  // namespace supn
