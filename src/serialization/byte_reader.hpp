// A ByteReader reads little-endian numbers from untrusted bytes, within bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "damaged_file.hpp"

namespace supn {

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }

  // All of these throw DamagedFile where the bytes end before.
  std::string_view take(std::uint64_t count) {
    if (count > left()) {
      throw DamagedFile("ends at byte " + std::to_string(bytes_.size()) + ", " +
                        std::to_string(count - left()) + " bytes too early: it is truncated");
    }
    const std::string_view taken = bytes_.substr(position_, static_cast<std::size_t>(count));
    position_ += taken.size();
    return taken;
  }

  // Reads an unsigned number of sizeof(Number) bytes.
  template <class Number>
  Number number() {
    std::uint64_t value = 0;
    unsigned int shift = 0;
    for (const char c : take(sizeof(Number))) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(c)) << shift;
      shift += 8;
    }
    return static_cast<Number>(value);
  }

  // Reads up to a line feed, which is taken but not returned.
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', position_);
    if (end == std::string_view::npos) throw DamagedFile("ends inside a name: it is truncated");
    const std::string_view taken = bytes_.substr(position_, end - position_);
    position_ = end + 1;
    return taken;
  }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

}  // namespace supn
