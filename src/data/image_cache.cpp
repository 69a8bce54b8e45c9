#include "supn/data/image_cache.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "image_cache_index.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

constexpr const char* kRebuild = "; run supn_data cache with this configuration";

std::string text_of(const SourceMark& mark) {
  return std::to_string(mark.bytes) + " bytes, modified " + std::to_string(mark.modified_ns) +
         " ns after 1970";
}

}  // namespace

std::uintmax_t cached_image_bytes(const ImageSize& size) {
  return 3 * static_cast<std::uintmax_t>(size.height) * static_cast<std::uintmax_t>(size.width);
}

std::shared_ptr<const ImageCache> ImageCache::open(const DataConfig& config,
                                                   std::span<const Frame> frames) {
  const CacheIndex index = read_cache_index(config);
  std::vector<std::int64_t> slots;
  std::string first_missing;
  for (const Frame& frame : frames) {
    const ImageSource source = source_of(config, frame);
    const auto found = index.images.find(source.name);
    if (found == index.images.end()) {
      if (first_missing.empty()) first_missing = source.name;
      continue;
    }
    if (found->second.source != source.mark) {
      throw IoError(config.cache,
                    source.name + " is not as it was when it was cached (then " +
                        text_of(found->second.source) + "; now " + text_of(source.mark) + ")" +
                        kRebuild);
    }
    slots.push_back(found->second.slot);
  }
  if (slots.empty()) return nullptr;
  if (slots.size() < frames.size()) {
    throw IoError(config.cache,
                  "lacks " + std::to_string(frames.size() - slots.size()) + " of the split's " +
                      std::to_string(frames.size()) + " images, the first is " + first_missing +
                      kRebuild);
  }
  return std::shared_ptr<const ImageCache>(new ImageCache(config, std::move(slots)));
}

ImageCache::ImageCache(const DataConfig& config, std::vector<std::int64_t> slots)
    : file_(cached_images_file(config.cache)),
      size_(config.size()),
      slots_(std::move(slots)),
      descriptor_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw IoError(file_, std::string("cannot be read (") + std::strerror(errno) + ")");
  }
}

ImageCache::~ImageCache() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

at::Tensor ImageCache::read(std::int64_t index) const {
  TORCH_CHECK(index >= 0 && index < static_cast<std::int64_t>(slots_.size()),
              "ImageCache: expected an index below ",
              slots_.size(),
              ", got ",
              index);
  at::Tensor image = at::empty({size_.height, size_.width, 3}, at::kByte);
  char* out = reinterpret_cast<char*>(image.mutable_data_ptr<std::uint8_t>());
  const auto bytes = static_cast<std::int64_t>(cached_image_bytes(size_));
  const std::int64_t begin = slots_[static_cast<std::size_t>(index)] * bytes;
  // pread, since a mapped file that is cut off kills its reader.
  for (std::int64_t done = 0; done < bytes;) {
    const ssize_t count =
        ::pread(descriptor_, out + done, static_cast<std::size_t>(bytes - done), begin + done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw IoError(file_, std::string("is cut off or cannot be read") + kRebuild);
    }
    done += count;
  }
  return image;
}

}  // namespace supn
