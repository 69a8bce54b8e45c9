// Height and width of a dense map or image, in pixels.
#pragma once

#include <cstdint>

namespace supn {

struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool operator==(const ImageSize&) const = default;
};

}  // namespace supn
