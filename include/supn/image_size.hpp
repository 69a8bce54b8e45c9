// Height and width of a dense map or image, in pixels.
#pragma once

#include <cstdint>
#include <string>

namespace supn {

struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool operator==(const ImageSize&) const = default;
};

// "640x192": width, then height, as cameras' sizes are written.
inline std::string size_text(const ImageSize& size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

}  // namespace supn
