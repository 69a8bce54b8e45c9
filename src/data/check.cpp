#include "supn/data/check.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "parallel_loop.hpp"
#include "sample_file.hpp"
#include "supn/data/frame_depth.hpp"
#include "supn/errors.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"

namespace supn {
namespace {

// Errors read "<path>: <fault>; <remedy>". `path` is the file that was looked at; an error about
// another one says so itself.
DataFault fault_of(const std::filesystem::path& path, const IoError& error) {
  const std::string text = error.what();
  const std::string shown = visible(path.string());
  const std::size_t colon = text.starts_with(shown + ": ") ? shown.size() : text.find(": ");
  const std::string message = text.substr(colon + 2);
  const std::size_t cut = message.find("; ");
  if (cut == std::string::npos) {
    return {text.substr(0, colon), message, "replace the file or leave it out"};
  }
  return {text.substr(0, colon), message.substr(0, cut), message.substr(cut + 2)};
}

// A member that is listed twice has no spread of its own: the ensemble's std comes out too small.
void check_distinct(const std::filesystem::path& file,
                    const at::Tensor& maps,
                    const std::vector<std::int64_t>& excluded) {
  const auto is_excluded = [&](std::int64_t member) {
    return std::find(excluded.begin(), excluded.end(), member) != excluded.end();
  };
  for (std::int64_t b = 1; b < maps.size(0); ++b) {
    for (std::int64_t a = 0; a < b; ++a) {
      if (is_excluded(a) || is_excluded(b) || !maps[a].equal(maps[b])) continue;
      throw IoError(file,
                    "holds the same map for members " + std::to_string(a) + " and " +
                        std::to_string(b) +
                        "; list each network once in ensemble.members, remove the folder and run "
                        "supn_ensemble again, or list one in data.exclude_members");
    }
  }
}

enum class MapContent { kFinestLogits, kOther };

// Looks at one frame.
class Checker {
 public:
  Checker(const DataConfig& config, const CheckOptions& options, std::int64_t members)
      : config_(config), options_(options), members_(members) {}

  CheckReport check(const Frame& frame) {
    const ExampleContents& contents = options_.contents;
    ++report_.frames;
    const std::optional<ImageSize> size = check_image(frame);
    if (contents.depth != Presence::kUnused) check_depth(frame, size);
    for (std::int64_t scale = 0; scale < contents.scales; ++scale) {
      const std::filesystem::path file = sample_path(config_.samples, frame, scale);
      const MapContent content = scale == 0 ? MapContent::kFinestLogits : MapContent::kOther;
      if (scale == 0 || is_there(file)) check_maps(file, scale, content);
    }
    if (contents.log_scale != Presence::kUnused) {
      const std::filesystem::path file = log_scale_path(config_.samples, frame);
      if (contents.log_scale == Presence::kRequired || is_there(file)) {
        check_maps(file, 0, MapContent::kOther);
      }
    }
    return std::move(report_);
  }

 private:
  bool is_quick() const { return options_.depth == CheckDepth::kHeaders; }

  ImageSize image_size(const std::filesystem::path& path) const {
    if (is_quick()) return read_image_size(path);
    const at::Tensor image = read_rgb(path);
    return {image.size(0), image.size(1)};
  }

  ImageSize depth_size(const std::filesystem::path& path) const {
    if (is_quick()) return read_depth_size(path);
    const at::Tensor depth = read_depth_png(path);
    return {depth.size(0), depth.size(1)};
  }

  std::optional<ImageSize> check_image(const Frame& frame) {
    std::filesystem::path path = config_.root / frame.id();
    try {
      path = image_path(config_.root, frame);
      const ImageSize size = image_size(path);
      ++report_.images;
      return size;
    } catch (const IoError& error) {
      report_.faults.push_back(fault_of(path, error));
      return {};
    }
  }

  void check_depth(const Frame& frame, const std::optional<ImageSize>& image_size) {
    const auto path = depth_path(config_.root, frame, config_.depth_folders);
    if (!path) {
      if (options_.contents.depth == Presence::kRequired) {
        report_.faults.push_back({config_.root / frame.id(),
                                  "has no ground truth in any of data.depth_folders",
                                  "name its folder there, or take the frame out of the split"});
      }
      return;
    }
    try {
      const ImageSize size = depth_size(*path);
      if (image_size) check_depth_size(*path, size, *image_size);
      ++report_.depth_maps;
    } catch (const IoError& error) {
      report_.faults.push_back(fault_of(*path, error));
    }
  }

  void check_maps(const std::filesystem::path& file, std::int64_t scale, MapContent content) {
    const SampleShape shape{members_, {config_.height >> scale, config_.width >> scale}};
    try {
      if (is_quick()) {
        check_sample_header(file, shape);
      } else {
        const at::Tensor maps = read_sample_file(file, shape);
        if (content == MapContent::kFinestLogits) {
          check_distinct(file, maps, config_.exclude_members);
        }
      }
      ++report_.sample_files;
    } catch (const IoError& error) {
      report_.faults.push_back(fault_of(file, error));
    }
  }

  const DataConfig& config_;
  const CheckOptions& options_;
  std::int64_t members_;
  CheckReport report_;
};

// S of the first sample file whose header is sound; 0 where there is none.
std::int64_t members_of(const DataConfig& config,
                        const std::vector<Frame>& frames,
                        const ExampleContents& contents) {
  if (contents.scales == 0) return 0;
  for (const Frame& frame : frames) {
    try {
      return check_sample_header(sample_path(config.samples, frame, 0), {0, config.size()});
    } catch (const IoError&) {
      // Reported when the frame's turn comes.
    }
  }
  return 0;
}

CheckReport merged(std::vector<CheckReport> reports) {
  CheckReport all;
  for (CheckReport& report : reports) {
    all.frames += report.frames;
    all.images += report.images;
    all.depth_maps += report.depth_maps;
    all.sample_files += report.sample_files;
    std::move(report.faults.begin(), report.faults.end(), std::back_inserter(all.faults));
  }
  return all;
}

}  // namespace

CheckReport check_split(const DataConfig& config,
                        Split split,
                        const CheckOptions& options,
                        const std::function<void()>& on_frame) {
  const std::vector<Frame> frames = read_split(config, split);
  const std::int64_t members = members_of(config, frames, options.contents);
  std::vector<CheckReport> reports(frames.size());
  const auto check_frame = [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    reports[i] = Checker(config, options, members).check(frames[i]);
  };
  ParallelLoop(static_cast<std::int64_t>(frames.size()), options.threads, check_frame)
      .wait(on_frame);
  return merged(std::move(reports));
}

}  // namespace supn
