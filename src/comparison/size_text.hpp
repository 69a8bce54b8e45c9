// For messages.
#pragma once

#include <string>

#include "supn/image_size.hpp"

namespace supn {

// "192x640": rows, then columns, as data.height and data.width are set.
inline std::string size_text(const ImageSize& size) {
  return std::to_string(size.height) + "x" + std::to_string(size.width);
}

}  // namespace supn
