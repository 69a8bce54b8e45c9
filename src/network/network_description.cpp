#include "network_description.hpp"

#include <nlohmann/json.hpp>

#include "supn/excerpt.hpp"
#include "supn/serialization/json.hpp"

namespace supn {
namespace {

constexpr std::int64_t kFormatVersion = 1;
constexpr std::int64_t kLargestNetworkRadius = 8;
constexpr std::int64_t kMostClasses = 12;
constexpr std::int64_t kFewestNeighbours = 12;
constexpr std::int64_t kMostNeighbours = 24;
constexpr std::int64_t kLargestSide = 16384;  // as data.height and data.width

template <class Enum>
Enum enum_at(const Json& json, std::string_view key) {
  const auto text = value_at<std::string>(json, key);
  for (const auto& [name, value] : OptionNames<Enum>::values) {
    if (name == text) return value;
  }
  throw JsonError("\"" + std::string(key) + "\" is \"" + excerpt(text) +
                  "\", which this version does not know");
}

std::int64_t integer_at(const Json& json, std::string_view key, std::int64_t largest) {
  return value_in<std::int64_t>(member(json, key), key, 0, largest);
}

Json start_json(const StartingField& start) {
  return {
      {"std", start.std}, {"length", start.length}, {"smoothness", option_name(start.smoothness)}};
}

double positive_at(const Json& json, std::string_view key) {
  const auto value = value_at<double>(json, key);
  if (!(value > 0.0)) throw JsonError(std::string(key) + " must be positive");
  return value;
}

// Descriptions that were written before there was another order than raster have no key of it.
void read_order(const Json& json, NetworkConfig& config) {
  if (find_member(json, "order") == nullptr) return;
  config.order = enum_at<PixelOrder>(json, "order");
  config.classes = integer_at(json, "classes", kMostClasses);
  config.neighbours = integer_at(json, "neighbours", kMostNeighbours);
  if (config.neighbours < kFewestNeighbours) throw JsonError("neighbours must be 12 or more");
  const Json& start = member(json, "start");
  config.start = {positive_at(start, "std"),
                  positive_at(start, "length"),
                  enum_at<Smoothness>(start, "smoothness")};
}

}  // namespace

std::string to_json(const NetworkDescription& description) {
  const NetworkConfig& config = description.config;
  const Json json = {{"format_version", kFormatVersion},
                     {"backbone", option_name(config.backbone)},
                     {"order", option_name(config.order)},
                     {"neighbourhood_radius", config.neighbourhood_radius},
                     {"off_diagonal", option_name(config.off_diagonal)},
                     {"coordinate_maps", config.coordinate_maps},
                     {"diagonal_scaling", config.diagonal_scaling},
                     {"classes", config.classes},
                     {"neighbours", config.neighbours},
                     {"start", start_json(config.start)},
                     {"input_height", description.size.height},
                     {"input_width", description.size.width},
                     {"quantity", "logit of disparity"}};
  return exact_json_text(json, 2) + "\n";
}

NetworkDescription network_description_from_json(const std::string& text) {
  const Json json = parse_json(text);
  const auto version = value_at<std::int64_t>(json, "format_version");
  if (version != kFormatVersion) {
    throw JsonError("format_version is " + std::to_string(version) + ", this version reads " +
                    std::to_string(kFormatVersion));
  }
  NetworkDescription description;
  NetworkConfig& config = description.config;
  config.backbone = enum_at<Backbone>(json, "backbone");
  config.neighbourhood_radius = integer_at(json, "neighbourhood_radius", kLargestNetworkRadius);
  config.off_diagonal = enum_at<OffDiagonalForm>(json, "off_diagonal");
  config.coordinate_maps = value_at<bool>(json, "coordinate_maps");
  config.diagonal_scaling = value_at<bool>(json, "diagonal_scaling");
  description.size = {integer_at(json, "input_height", kLargestSide),
                      integer_at(json, "input_width", kLargestSide)};
  read_order(json, config);
  check_network_config(config);
  check_input_size(config.backbone, description.size);
  return description;
}

}  // namespace supn
