// An image cache holds a split's images as training reads them, decoded and resized once. Reading
// them so gives the same bytes as reading and resizing the originals, and leaves more than half of
// a loading thread's work out. Members' maps stay where they are: their files load as fast as a
// cache could.
//
//   <cache>/images.rgb   uint8 [H,W,3] after [H,W,3]
//   <cache>/index.txt    its size and filter; per image its place, its source's path below
//                        data.root and that file's length and time of modification
//
// An image counts as cached once its line is in the index, which is written after the image itself
// has reached the disk: what is interrupted leaves a smaller cache, and goes on from there.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "supn/data/data_config.hpp"
#include "supn/data/kitti.hpp"

namespace supn {

class ImageCache {
 public:
  // The images of `frames` in config.cache. Nothing where it holds none of them, as of a split that
  // was never cached. Throws IoError, naming what differs and the remedy, where only some are
  // there, where an original is of another length or time than the one that was cached, where the
  // cache is of another size than config's or damaged, or is no cache; as image_path, where an
  // original is missing.
  static std::shared_ptr<const ImageCache> open(const DataConfig& config,
                                                std::span<const Frame> frames);
  ~ImageCache();
  ImageCache(const ImageCache&) = delete;
  ImageCache& operator=(const ImageCache&) = delete;

  // Returns uint8 [H,W,3] RGB of frames[index]. Several threads may call it at once. Throws IoError
  // where the file has become shorter.
  at::Tensor read(std::int64_t index) const;

 private:
  ImageCache(const DataConfig& config, std::vector<std::int64_t> slots);

  std::filesystem::path file_;
  ImageSize size_;
  std::vector<std::int64_t> slots_;
  int descriptor_;
};

// Says what caching `frames` takes.
struct CacheNeed {
  std::int64_t present = 0;  // images that are cached and up to date
  std::int64_t missing = 0;
  std::uintmax_t bytes = 0;  // that will be added
};

// Bytes of one image of this size in a cache.
std::uintmax_t cached_image_bytes(const ImageSize& size);

// Frames with the same image count once. Throws as ImageCache::open for a cache of another size.
CacheNeed image_cache_need(const DataConfig& config, std::span<const Frame> frames);

// Caches the images that are missing, in so many threads; calls on_image after each, in the
// caller's thread: what it throws ends the work, and what is done by then stays. Throws IoError
// where another process is at it, the disk has too little space, an image cannot be read.
void build_image_cache(const DataConfig& config,
                       std::span<const Frame> frames,
                       std::int64_t threads,
                       const std::function<void()>& on_image);

}  // namespace supn
