#include "image_cache_index.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include "supn/data/image_cache.hpp"
#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

constexpr std::string_view kFormat = "supn image cache 1, lanczos, ";
constexpr std::uintmax_t kLargestIndex = std::uintmax_t{1} << 30;
// Times the largest image, far below what overflows.
constexpr std::int64_t kMostSlots = std::int64_t{1} << 31;

// Takes a number and the blank behind it off the front of `text`.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop == end || *stop != ' ') return {};
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  return number;
}

struct NamedImage {
  std::string name;
  CachedImage image;
};

std::optional<NamedImage> parse_line(std::string_view line) {
  const auto slot = take_number<std::int64_t>(line);
  const auto bytes = slot ? take_number<std::uintmax_t>(line) : std::nullopt;
  const auto modified = bytes ? take_number<std::int64_t>(line) : std::nullopt;
  if (!modified || *slot < 0 || *slot >= kMostSlots || line.empty()) return {};
  return NamedImage{std::string(line), {*slot, {*bytes, *modified}}};
}

void check_header(const DataConfig& config, std::string_view line) {
  const std::filesystem::path index = cache_index_file(config.cache);
  const std::string remedy =
      "; remove " + config.cache.string() + " and run supn_data cache, or name another data.cache";
  if (!line.starts_with(kFormat)) {
    throw IoError(
        index,
        "is no index of an image cache of this version (it begins " + excerpt(line) + ")" + remedy);
  }
  const std::string_view size = line.substr(kFormat.size());
  if (size != size_text(config.size())) {
    throw IoError(index,
                  "the cached images are " + excerpt(size) + ", data.width x data.height is " +
                      size_text(config.size()) + remedy);
  }
}

std::uintmax_t size_or_nothing(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

}  // namespace

ImageSource source_of(const DataConfig& config, const Frame& frame) {
  ImageSource source;
  source.path = image_path(config.root, frame);
  source.name = source.path.lexically_relative(config.root).generic_string();
  struct stat status {};
  if (::stat(source.path.c_str(), &status) != 0) {
    throw IoError(source.path, std::string("cannot be looked up (") + std::strerror(errno) + ")");
  }
  source.mark = {static_cast<std::uintmax_t>(status.st_size),
                 status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
  return source;
}

std::filesystem::path cached_images_file(const std::filesystem::path& cache) {
  return cache / "images.rgb";
}

std::filesystem::path cache_index_file(const std::filesystem::path& cache) {
  return cache / "index.txt";
}

std::string cache_header(const ImageSize& size) {
  return std::string(kFormat) + size_text(size) + "\n";
}

std::string cache_line(const std::string& name, const CachedImage& image) {
  return std::to_string(image.slot) + ' ' + std::to_string(image.source.bytes) + ' ' +
         std::to_string(image.source.modified_ns) + ' ' + name + '\n';
}

CacheIndex read_cache_index(const DataConfig& config) {
  CacheIndex index;
  const std::filesystem::path file = cache_index_file(config.cache);
  if (size_or_nothing(file) == 0) return index;
  const std::string text = read_text(file, kLargestIndex);
  const std::uintmax_t whole =
      size_or_nothing(cached_images_file(config.cache)) / cached_image_bytes(config.size());
  std::string_view rest = text;
  for (std::int64_t number = 1;; ++number) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    index.bytes += end + 1;
    if (number == 1) {
      check_header(config, line);
      continue;
    }
    std::optional<NamedImage> parsed = parse_line(line);
    if (!parsed) {
      throw IoError(file.string() + ':' + std::to_string(number),
                    "expected `slot bytes time path`, found " + excerpt(line) + "; remove " +
                        config.cache.string() + " and run supn_data cache");
    }
    if (static_cast<std::uintmax_t>(parsed->image.slot) >= whole) {
      index.images.erase(parsed->name);
      ++index.lost;
      continue;
    }
    index.slots = std::max(index.slots, parsed->image.slot + 1);
    index.images.insert_or_assign(std::move(parsed->name), parsed->image);
  }
  return index;
}

}  // namespace supn
