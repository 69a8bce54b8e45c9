#include "supn/data/check.hpp"

#include <optional>
#include <string_view>
#include <system_error>

#include "sample_file.hpp"
#include "supn/errors.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"

namespace supn {
namespace {

// Errors read "<path>: <fault>; <remedy>". `path` is the file that was looked at; an error about
// another one says so itself.
DataFault fault_of(const std::filesystem::path& path, const IoError& error) {
  const std::string text = error.what();
  const std::string prefix = path.string() + ": ";
  const std::size_t colon = text.starts_with(prefix) ? path.string().size() : text.find(": ");
  const std::string message = text.substr(colon + 2);
  const std::size_t cut = message.find("; ");
  if (cut == std::string::npos) {
    return {text.substr(0, colon), message, "replace the file or leave it out"};
  }
  return {text.substr(0, colon), message.substr(0, cut), message.substr(cut + 2)};
}

class Checker {
 public:
  Checker(const DataConfig& config, const ExampleContents& contents)
      : config_(config), contents_(contents) {}

  void check(const Frame& frame) {
    ++report_.frames;
    const std::optional<ImageSize> size = check_image(frame);
    if (contents_.depth != Presence::kUnused) check_depth(frame, size);
    for (std::int64_t scale = 0; scale < contents_.scales; ++scale) {
      const std::filesystem::path file = sample_path(config_.samples, frame, scale);
      if (scale == 0 || is_there(file)) check_maps(file, scale);
    }
    if (contents_.log_scale == Presence::kUnused) return;
    const std::filesystem::path file = log_scale_path(config_.samples, frame);
    if (contents_.log_scale == Presence::kRequired || is_there(file)) check_maps(file, 0);
  }

  CheckReport take() { return std::move(report_); }

 private:
  static bool is_there(const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
  }

  std::optional<ImageSize> check_image(const Frame& frame) {
    std::filesystem::path path = config_.root / frame.id();
    try {
      path = image_path(config_.root, frame);
      const at::Tensor image = read_rgb(path);
      ++report_.images;
      return ImageSize{image.size(0), image.size(1)};
    } catch (const IoError& error) {
      report_.faults.push_back(fault_of(path, error));
      return {};
    }
  }

  void check_depth(const Frame& frame, const std::optional<ImageSize>& image_size) {
    const auto path = depth_path(config_.root, frame, config_.depth_folders);
    if (!path) {
      if (contents_.depth == Presence::kRequired) {
        report_.faults.push_back({config_.root / frame.id(),
                                  "has no ground truth in any of data.depth_folders",
                                  "name its folder there, or take the frame out of the split"});
      }
      return;
    }
    try {
      const at::Tensor depth = read_depth_png(*path);
      const ImageSize size{depth.size(0), depth.size(1)};
      if (image_size && size != *image_size) {
        throw IoError(*path,
                      "expected the image's size, " + text(*image_size) + ", found " + text(size) +
                          "; replace the depth map by that of this image");
      }
      ++report_.depth_maps;
    } catch (const IoError& error) {
      report_.faults.push_back(fault_of(*path, error));
    }
  }

  void check_maps(const std::filesystem::path& file, std::int64_t scale) {
    const ImageSize size{config_.height >> scale, config_.width >> scale};
    try {
      const at::Tensor maps = read_sample_file(file, {members_, size});
      members_ = maps.size(0);
      ++report_.sample_files;
    } catch (const IoError& error) {
      report_.faults.push_back(fault_of(file, error));
    }
  }

  static std::string text(const ImageSize& size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
  }

  const DataConfig& config_;
  const ExampleContents& contents_;
  std::int64_t members_ = 0;
  CheckReport report_;
};

}  // namespace

CheckReport check_split(const DataConfig& config,
                        Split split,
                        const ExampleContents& contents,
                        const std::function<void()>& on_frame) {
  const std::filesystem::path& file = split_file(config, split);
  if (file.empty()) {
    const std::string key = "data." + std::string(option_name(split)) + "_split";
    throw ConfigError(key + ": expected the list of images; add --set " + key + "=FILE");
  }
  Checker checker(config, contents);
  for (const Frame& frame : read_split(file)) {
    checker.check(frame);
    on_frame();
  }
  return checker.take();
}

}  // namespace supn
