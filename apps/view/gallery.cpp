#include "view/gallery.hpp"

#include <ATen/TensorOperators.h>
#include <spdlog/fmt/fmt.h>

#include "common/split_options.hpp"
#include "supn/data/frame_depth.hpp"
#include "supn/errors.hpp"
#include "supn/io/image.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {

Gallery::Gallery(const ViewArguments& arguments,
                 const std::optional<Config>& config,
                 const GaussianSource& source)
    : arguments_(arguments), source_(source) {
  if (config) {
    data_ = config->data;
    const Split split = split_named(arguments.split);
    frames_ = read_split(*data_, split);
    images_ = images_of_split(*data_, split);
  } else if (!arguments.image.empty()) {
    images_ = images_from(arguments.image);
  }
  if (source.is_file()) {
    if (images_.size() > 1) {
      throw ConfigError("--gaussian holds one image's Gaussian, and --image names " +
                        std::to_string(images_.size()) + " images; name the one it belongs to");
    }
    images_ = {source.image_for(images_.empty() ? "" : images_.front().path)};
  }
  if (any_measurements(arguments.measurements) && images_.size() > 1) {
    throw ConfigError("measured depths are of one image, and --image names " +
                      std::to_string(images_.size()) + " images; name the one they belong to");
  }
}

Picture Gallery::load(std::size_t index) const {
  Picture picture{.image = images_.at(index)};
  // A file's Gaussian may know an image that is not on this machine.
  if (!source_.is_file() || !arguments_.image.empty()) picture.rgb = read_rgb(picture.image.path);
  const std::optional<ImageSize> size = source_.image_size(picture.rgb);
  picture.size = picture.rgb.defined() ? *size : source_.size();
  if (any_measurements(arguments_.measurements)) {
    picture.depth_m = read_depths_alone(arguments_.measurements, {picture.size, size});
  }
  if (!data_) return picture;
  picture.depth_m = read_frame_depth(*data_, frames_.at(index));
  picture.members = read_members(frames_.at(index));
  return picture;
}

at::Tensor Gallery::read_members(const Frame& frame) const {
  if (data_->samples.empty()) return {};
  const std::filesystem::path path = sample_path(data_->samples, frame, 0);
  if (!is_there(path)) return {};
  const at::Tensor members = read_npy(path);
  const ImageSize size = source_.size();
  const bool fits = members.dim() == 3 && members.size(0) > 0 && members.size(1) == size.height &&
                    members.size(2) == size.width && members.is_floating_point();
  if (!fits) {
    throw IoError(path,
                  fmt::format("expected the members' logits [S,{},{}], the size of the network's "
                              "maps; set data.samples to \"\" to see the image without them",
                              size.height,
                              size.width));
  }
  return members.to(at::kFloat);
}

}  // namespace supn
