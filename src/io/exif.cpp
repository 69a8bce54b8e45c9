#include "exif.hpp"

#include <cstddef>
#include <cstdint>

namespace supn {
namespace {

constexpr int kAsStored = 1;
constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShort = 3;
constexpr std::size_t kEntryBytes = 12;

// Numbers in the byte order that the TIFF names; 0 beyond its end.
class Tiff {
 public:
  explicit Tiff(std::string_view bytes)
      : bytes_(bytes), big_endian_(bytes.starts_with(std::string_view("MM\0*", 4))) {}

  bool is_known() const { return big_endian_ || bytes_.starts_with(std::string_view("II*\0", 4)); }
  std::uint32_t number(std::size_t place, std::size_t count) const {
    if (place > bytes_.size() || count > bytes_.size() - place) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t next = big_endian_ ? place + i : place + count - 1 - i;
      value = value << 8 | static_cast<std::uint8_t>(bytes_[next]);
    }
    return value;
  }

 private:
  std::string_view bytes_;
  bool big_endian_;
};

}  // namespace

int exif_orientation(std::string_view bytes) {
  const Tiff tiff(bytes);
  if (!tiff.is_known()) return kAsStored;
  const std::size_t directory = tiff.number(4, 4);
  const std::size_t entries = tiff.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (tiff.number(entry, 2) != kOrientationTag) continue;
    const std::uint32_t value = tiff.number(entry + 8, 2);
    const bool is_short = tiff.number(entry + 2, 2) == kShort;
    return is_short && value >= 1 && value <= 8 ? static_cast<int>(value) : kAsStored;
  }
  return kAsStored;
}

}  // namespace supn
