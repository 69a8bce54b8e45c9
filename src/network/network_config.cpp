#include "supn/network/network_config.hpp"

#include <algorithm>
#include <string>

#include "supn/errors.hpp"

namespace supn {
namespace {

std::int64_t nearest_size(std::int64_t size, std::int64_t multiple) {
  return std::max(2 * multiple, (size + multiple / 2) / multiple * multiple);
}

[[noreturn]] void refuse_other_order(const char* option, PixelOrder order, PixelOrder needed) {
  throw ConfigError("network." + std::string(option) + ": belongs to network.order " +
                    std::string(option_name(needed)) + ", the order is " +
                    std::string(option_name(order)) + "; remove it or change the order");
}

// Options of the other order must be as they are by default.
void check_order(const NetworkConfig& config) {
  const NetworkConfig usual;
  const auto check = [&](const char* option, PixelOrder needed, bool is_usual) {
    if (config.order != needed && !is_usual) refuse_other_order(option, config.order, needed);
  };
  constexpr PixelOrder kRaster = PixelOrder::kRaster;
  constexpr PixelOrder kCoarseToFine = PixelOrder::kCoarseToFine;
  check("neighbourhood_radius", kRaster, config.neighbourhood_radius == usual.neighbourhood_radius);
  check("off_diagonal", kRaster, config.off_diagonal == usual.off_diagonal);
  check("diagonal_scaling", kRaster, config.diagonal_scaling == usual.diagonal_scaling);
  check("classes", kCoarseToFine, config.classes == usual.classes);
  check("neighbours", kCoarseToFine, config.neighbours == usual.neighbours);
  check("start", kCoarseToFine, config.start == usual.start);
}

}  // namespace

void check_network_config(const NetworkConfig& config) {
  check_order(config);
  if (config.classes != 3 && config.classes != 12) {
    throw ConfigError("network.classes: expected 3 or 12, got " + std::to_string(config.classes));
  }
  const std::int64_t radius = config.neighbourhood_radius;
  const auto refuse = [&](const std::string& radii) {
    throw ConfigError("network.off_diagonal: " + std::string(option_name(config.off_diagonal)) +
                      " exists for neighbourhood_radius " + radii + ", not " +
                      std::to_string(radius) + "; change one of the two");
  };
  if (config.off_diagonal == OffDiagonalForm::kFactored && radius > 2) refuse("0, 1 and 2");
  if (config.off_diagonal == OffDiagonalForm::kTwofold && radius != 2) refuse("2");
}

Neighbourhood neighbourhood_of(const NetworkConfig& config) {
  if (config.order == PixelOrder::kRaster) return Neighbourhood(config.neighbourhood_radius);
  return Neighbourhood(CoarseToFine{.classes = config.classes, .neighbours = config.neighbours});
}

std::int64_t size_multiple(Backbone backbone) { return backbone == Backbone::kResnet18 ? 32 : 16; }

void check_input_size(Backbone backbone, const ImageSize& size) {
  const std::int64_t multiple = size_multiple(backbone);
  const ImageSize nearest{nearest_size(size.height, multiple), nearest_size(size.width, multiple)};
  const auto fits = [&](std::int64_t side) { return side % multiple == 0 && side >= 2 * multiple; };
  if (fits(size.height) && fits(size.width)) return;
  throw ConfigError(
      "input size " + size_text(size) + ": backbone " + std::string(option_name(backbone)) +
      " needs width and height to be multiples of " + std::to_string(multiple) + ", at least " +
      std::to_string(2 * multiple) + "; the nearest is " + size_text(nearest));
}

}  // namespace supn
