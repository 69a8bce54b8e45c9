#include "supn/gaussian/neighbourhood.hpp"

#include <c10/util/Exception.h>

namespace supn {

Neighbourhood::Neighbourhood(std::int64_t radius) : radius_(radius) {
  TORCH_CHECK(radius >= 0, "Neighbourhood: the radius must be 0 or more, got ", radius);
  offsets_.reserve(static_cast<std::size_t>(2 * radius * (radius + 1)));
  for (std::int64_t dx = 1; dx <= radius; ++dx) offsets_.push_back({0, dx});
  for (std::int64_t dy = 1; dy <= radius; ++dy) {
    for (std::int64_t dx = -radius; dx <= radius; ++dx) offsets_.push_back({dy, dx});
  }
}

std::int64_t Neighbourhood::exact_sweeps(std::int64_t height, std::int64_t width) const {
  TORCH_CHECK(height > 0 && width > 0,
              "Neighbourhood::exact_sweeps: height and width must be positive, got ",
              height,
              "x",
              width);
  return radius_ == 0 ? 1 : width + (radius_ + 1) * (height - 1);
}

}  // namespace supn
