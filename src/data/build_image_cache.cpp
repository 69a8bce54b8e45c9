#include <c10/util/Exception.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "image_cache_index.hpp"
#include "parallel_loop.hpp"
#include "supn/data/image_cache.hpp"
#include "supn/errors.hpp"
#include "supn/io/image.hpp"
#include "supn/io/resize.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/file_lock.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/write_failure.hpp"

namespace supn {
namespace {

// Images that an interruption can cost.
constexpr std::int64_t kImagesPerCommit = 64;

struct MissingImage {
  ImageSource source;
  std::int64_t slot = 0;
};

struct CachePlan {
  CacheIndex index;
  std::int64_t present = 0;
  std::vector<MissingImage> missing;
  std::uintmax_t bytes = 0;
};

// An original that has changed takes its old place.
CachePlan plan_for(const DataConfig& config, std::span<const Frame> frames) {
  if (config.cache.empty()) {
    throw ConfigError("data.cache: expected the folder to write to; add --set data.cache=DIR");
  }
  CachePlan plan;
  plan.index = read_cache_index(config);
  std::int64_t slots = plan.index.slots;
  std::set<std::string> seen;
  for (const Frame& frame : frames) {
    ImageSource source = source_of(config, frame);
    if (!seen.insert(source.name).second) continue;
    const auto found = plan.index.images.find(source.name);
    const bool is_cached = found != plan.index.images.end();
    if (is_cached && found->second.source == source.mark) {
      ++plan.present;
      continue;
    }
    if (!is_cached) plan.bytes += cached_image_bytes(config.size());
    plan.missing.push_back({std::move(source), is_cached ? found->second.slot : slots++});
  }
  return plan;
}

class CacheFile {
 public:
  explicit CacheFile(std::filesystem::path path)
      : path_(std::move(path)),
        descriptor_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) fail_to_write(path_);
  }
  ~CacheFile() { ::close(descriptor_); }
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

  void cut(std::uintmax_t bytes) const {
    if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail_to_write(path_);
  }
  void write(std::string_view bytes, std::uintmax_t place) const {
    while (!bytes.empty()) {
      const ssize_t count =
          ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_to_write(path_);
      place += static_cast<std::uintmax_t>(count);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void flush() const {
    if (::fdatasync(descriptor_) != 0) fail_to_write(path_);
  }

 private:
  std::filesystem::path path_;
  int descriptor_;
};

// The images first, then the lines that make them count.
class CacheWriter {
 public:
  explicit CacheWriter(const DataConfig& config)
      : size_(config.size()),
        index_file_(cache_index_file(config.cache)),
        lock_(cached_images_file(config.cache)),
        images_(cached_images_file(config.cache)) {
    if (lock_.is_held()) return;
    throw IoError(config.cache, "another process is writing this cache; wait for its end");
  }

  // Lost images must leave the index before their slots are in the file again.
  void begin(const CacheIndex& index) {
    end_ = index.bytes;
    if (index.lost > 0 || end_ == 0) {
      std::string lines = cache_header(size_);
      for (const auto& [name, image] : index.images) lines += cache_line(name, image);
      write_file_atomically(index_file_, lines);
      end_ = lines.size();
    }
    index_.emplace(index_file_);
  }

  // Several threads may call this at once.
  void write(const MissingImage& image, const at::Tensor& rgb) {
    const at::Tensor packed = rgb.contiguous();
    const std::string_view bytes(reinterpret_cast<const char*>(packed.const_data_ptr()),
                                 packed.nbytes());
    images_.write(bytes, static_cast<std::uintmax_t>(image.slot) * cached_image_bytes(size_));
    const std::lock_guard lock(mutex_);
    lines_ += cache_line(image.source.name, {image.slot, image.source.mark});
  }

  void commit() {
    std::string lines;
    {
      const std::lock_guard lock(mutex_);
      lines.swap(lines_);
    }
    images_.flush();
    index_->cut(end_);  // what a commit that failed has left
    index_->write(lines, end_);
    index_->flush();
    end_ += lines.size();
  }

 private:
  ImageSize size_;
  std::filesystem::path index_file_;
  FileLock lock_;
  CacheFile images_;
  std::optional<CacheFile> index_;
  std::uintmax_t end_ = 0;
  std::mutex mutex_;
  std::string lines_;  // guarded by mutex_; of images that are written but not committed
};

// Images come into the file only once there is an index.
void require_own_cache(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path images = cached_images_file(folder);
  const std::filesystem::path index = cache_index_file(folder);
  const bool has_images = is_there(images) && std::filesystem::file_size(images, error) > 0;
  const bool has_index = is_there(index) && std::filesystem::file_size(index, error) > 0;
  if (!has_images || has_index) return;
  throw IoError(images,
                "is there without an index.txt, so that it is no cache of this program; remove it, "
                "or name another data.cache");
}

void make_room(const std::filesystem::path& folder, std::uintmax_t bytes) {
  create_folder(folder);
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error || space.available >= bytes) return;
  throw IoError(folder,
                "the cache needs " + std::to_string(bytes >> 20U) + " MiB more, the disk has " +
                    std::to_string(space.available >> 20U) + " MiB; name another data.cache");
}

}  // namespace

CacheNeed image_cache_need(const DataConfig& config, std::span<const Frame> frames) {
  const CachePlan plan = plan_for(config, frames);
  return {plan.present, static_cast<std::int64_t>(plan.missing.size()), plan.bytes};
}

void build_image_cache(const DataConfig& config,
                       std::span<const Frame> frames,
                       std::int64_t threads,
                       const std::function<void()>& on_image) {
  require_own_cache(config.cache);
  make_room(config.cache, plan_for(config, frames).bytes);
  CacheWriter writer(config);
  const CachePlan plan = plan_for(config, frames);  // again, now that nobody else writes
  if (plan.missing.empty()) return;
  writer.begin(plan.index);
  const auto count = static_cast<std::int64_t>(plan.missing.size());
  ParallelLoop loop(count, threads, [&](std::int64_t i) {
    const MissingImage& image = plan.missing[static_cast<std::size_t>(i)];
    writer.write(image, resize_lanczos(read_rgb(image.source.path), config.size()));
  });
  std::int64_t done = 0;
  try {
    loop.wait([&] {
      if (++done % kImagesPerCommit == 0) writer.commit();
      on_image();
    });
  } catch (...) {
    writer.commit();
    throw;
  }
  writer.commit();
}

}  // namespace supn
