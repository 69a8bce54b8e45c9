// The lines of its index say what an image cache (image_cache.hpp) holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "supn/data/data_config.hpp"
#include "supn/data/kitti.hpp"
#include "supn/image_size.hpp"

namespace supn {

// An original as it was when it was cached.
struct SourceMark {
  std::uintmax_t bytes = 0;
  std::int64_t modified_ns = 0;  // since 1970

  bool operator==(const SourceMark&) const = default;
};

struct CachedImage {
  std::int64_t slot = 0;
  SourceMark source;
};

// An image of the data set: its path below data.root, which is its name in the index.
struct ImageSource {
  std::string name;
  std::filesystem::path path;
  SourceMark mark;
};

// Throws IoError as image_path, and where the file's state cannot be asked for.
ImageSource source_of(const DataConfig& config, const Frame& frame);

std::filesystem::path cached_images_file(const std::filesystem::path& cache);
std::filesystem::path cache_index_file(const std::filesystem::path& cache);

// Ends with a newline each.
std::string cache_header(const ImageSize& size);
std::string cache_line(const std::string& name, const CachedImage& image);

struct CacheIndex {
  std::map<std::string, CachedImage> images;  // by name
  std::int64_t slots = 0;                     // one more than the last in use
  std::int64_t lost = 0;                      // lines of images that lie beyond the file's end
  std::uintmax_t bytes = 0;                   // of the whole lines
};

// Returns an empty index for a cache that isn't there. A last line that is cut off is left out, as
// are images that are lost. Throws IoError where the index isn't one, is of another size or
// damaged.
CacheIndex read_cache_index(const DataConfig& config);

}  // namespace supn
