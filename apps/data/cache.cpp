#include "data/cache.hpp"

#include <spdlog/fmt/fmt.h>

#include <iostream>

#include "common/progress.hpp"
#include "supn/data/image_cache.hpp"

namespace supn {
namespace {

// The split that is mostly trained on, Zhou's of KITTI, has so many.
constexpr std::int64_t kKittiImages = 39810;

std::string gigabytes(std::uintmax_t bytes) {
  return fmt::format("{:.3g} GB", static_cast<double>(bytes) / 1e9);
}

struct RequestedImages {
  std::vector<Frame> frames;
  std::string text;  // a line per split
};

RequestedImages requested_images(const DataConfig& data, const std::vector<std::string>& splits) {
  RequestedImages requested;
  for (const Split split : configured_splits(data, splits)) {
    const std::vector<Frame> frames = read_split(data, split);
    requested.text += fmt::format("{}: {} images, {}\n",
                                  option_name(split),
                                  frames.size(),
                                  gigabytes(frames.size() * cached_image_bytes(data.size())));
    requested.frames.insert(requested.frames.end(), frames.begin(), frames.end());
  }
  return requested;
}

std::string text_of(const DataConfig& data, const CacheNeed& need) {
  return fmt::format(
      "{}: {} images are there, {} are to be made and take {} more; KITTI's {} at this size take "
      "{}\n",
      data.cache.string(),
      need.present,
      need.missing,
      gigabytes(need.bytes),
      kKittiImages,
      gigabytes(kKittiImages * cached_image_bytes(data.size())));
}

}  // namespace

void declare_cache(CLI::App& options, CacheArguments& arguments) {
  declare_config_options(options, arguments.config);
  declare_splits_option(options, arguments.splits);
  options.add_flag("--need", arguments.need_only, "say what disk space it takes and stop");
}

int cache_images(const CacheArguments& arguments, const SharedOptions& shared) {
  const std::optional<Config> config = load_app_config(arguments.config);
  if (!config) return 0;
  const DataConfig& data = config->data;
  const RequestedImages requested = requested_images(data, arguments.splits);
  const CacheNeed need = image_cache_need(data, requested.frames);
  std::cout << requested.text << text_of(data, need) << std::flush;
  if (arguments.need_only || need.missing == 0) return 0;
  Progress progress("cache", need.present + need.missing);
  progress.skip(need.present);
  build_image_cache(data, requested.frames, shared.threads, [&] { progress.advance(); });
  progress.finish();
  return 0;
}

}  // namespace supn
