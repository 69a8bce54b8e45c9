#include "network_description.hpp"

#include <cmath>

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
  const std::string& text = json.at(key).as_string();
  for (const auto& [name, value] : OptionNames<Enum>::values) {
    if (name == text) return value;
  }
  throw JsonError("\"" + std::string(key) + "\" is \"" + excerpt(text) +
                  "\", which this version does not know");
}

std::int64_t integer_at(const Json& json, std::string_view key, std::int64_t largest) {
  const std::int64_t value = json.at(key).as_int();
  if (value < 0 || value > largest) {
    throw JsonError(std::string(key) + " must lie in 0.." + std::to_string(largest));
  }
  return value;
}

Json start_json(const StartingField& start) {
  return Json(Json::Object{{"std", Json(start.std)},
                           {"length", Json(start.length)},
                           {"smoothness", Json(std::string(option_name(start.smoothness)))}});
}

double positive_at(const Json& json, std::string_view key) {
  const double value = json.at(key).as_double();
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw JsonError(std::string(key) + " must be positive");
  }
  return value;
}

// Descriptions that were written before there was another order than raster have no key of it.
void read_order(const Json& json, NetworkConfig& config) {
  if (json.find("order") == nullptr) return;
  config.order = enum_at<PixelOrder>(json, "order");
  config.classes = integer_at(json, "classes", kMostClasses);
  config.neighbours = integer_at(json, "neighbours", kMostNeighbours);
  if (config.neighbours < kFewestNeighbours) throw JsonError("neighbours must be 12 or more");
  const Json& start = json.at("start");
  config.start = {positive_at(start, "std"),
                  positive_at(start, "length"),
                  enum_at<Smoothness>(start, "smoothness")};
}

}  // namespace

std::string to_json(const NetworkDescription& description) {
  const NetworkConfig& config = description.config;
  return Json(Json::Object{{"format_version", Json(kFormatVersion)},
                           {"backbone", Json(std::string(option_name(config.backbone)))},
                           {"order", Json(std::string(option_name(config.order)))},
                           {"neighbourhood_radius", Json(config.neighbourhood_radius)},
                           {"off_diagonal", Json(std::string(option_name(config.off_diagonal)))},
                           {"coordinate_maps", Json(config.coordinate_maps)},
                           {"diagonal_scaling", Json(config.diagonal_scaling)},
                           {"classes", Json(config.classes)},
                           {"neighbours", Json(config.neighbours)},
                           {"start", start_json(config.start)},
                           {"input_height", Json(description.size.height)},
                           {"input_width", Json(description.size.width)},
                           {"quantity", Json("logit of disparity")}})
             .dump() +
         "\n";
}

NetworkDescription network_description_from_json(const std::string& text) {
  const Json json = Json::parse(text);
  if (json.at("format_version").as_int() != kFormatVersion) {
    throw JsonError("format_version is " + std::to_string(json.at("format_version").as_int()) +
                    ", this version reads " + std::to_string(kFormatVersion));
  }
  NetworkDescription description;
  NetworkConfig& config = description.config;
  config.backbone = enum_at<Backbone>(json, "backbone");
  config.neighbourhood_radius = integer_at(json, "neighbourhood_radius", kLargestNetworkRadius);
  config.off_diagonal = enum_at<OffDiagonalForm>(json, "off_diagonal");
  config.coordinate_maps = json.at("coordinate_maps").as_bool();
  config.diagonal_scaling = json.at("diagonal_scaling").as_bool();
  description.size = {integer_at(json, "input_height", kLargestSide),
                      integer_at(json, "input_width", kLargestSide)};
  read_order(json, config);
  check_network_config(config);
  check_input_size(config.backbone, description.size);
  return description;
}

}  // namespace supn
