#include "supn/network/network_config.hpp"

#include <algorithm>
#include <string>

#include "supn/errors.hpp"

namespace supn {
namespace {

std::int64_t nearest_size(std::int64_t size, std::int64_t multiple) {
  return std::max(2 * multiple, (size + multiple / 2) / multiple * multiple);
}

std::string text(const ImageSize& size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

}  // namespace

void check_network_config(const NetworkConfig& config) {
  const std::int64_t radius = config.neighbourhood_radius;
  const auto refuse = [&](const std::string& radii) {
    throw ConfigError("network.off_diagonal: " + std::string(option_name(config.off_diagonal)) +
                      " exists for neighbourhood_radius " + radii + ", not " +
                      std::to_string(radius) + "; change one of the two");
  };
  if (config.off_diagonal == OffDiagonalForm::kFactored && radius > 2) refuse("0, 1 and 2");
  if (config.off_diagonal == OffDiagonalForm::kTwofold && radius != 2) refuse("2");
}

std::int64_t size_multiple(Backbone backbone) { return backbone == Backbone::kResnet18 ? 32 : 16; }

void check_input_size(Backbone backbone, const ImageSize& size) {
  const std::int64_t multiple = size_multiple(backbone);
  const ImageSize nearest{nearest_size(size.height, multiple), nearest_size(size.width, multiple)};
  const auto fits = [&](std::int64_t side) { return side % multiple == 0 && side >= 2 * multiple; };
  if (fits(size.height) && fits(size.width)) return;
  throw ConfigError(
      "input size " + text(size) + ": backbone " + std::string(option_name(backbone)) +
      " needs width and height to be multiples of " + std::to_string(multiple) + ", at least " +
      std::to_string(2 * multiple) + "; the nearest is " + text(nearest));
}

}  // namespace supn
