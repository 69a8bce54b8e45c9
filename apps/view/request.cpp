#include "view/request.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "supn/excerpt.hpp"
#include "view/reply.hpp"

namespace supn {
namespace {

using Json = nlohmann::json;

Json parsed(std::string_view text) {
  if (text.size() > kLargestRequest) {
    throw BadRequest(
        fmt::format("the request has {} bytes, more than {}", text.size(), kLargestRequest), 413);
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw BadRequest("the request is no JSON: " + excerpt(error.what(), 120));
  }
}

std::string shown(const Json& value) {
  return excerpt(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

Fields::Fields(std::string_view text) : Fields(parsed(text), "") {}

Fields::Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
  if (object_.is_object()) return;
  throw BadRequest(fmt::format(
      "{}: expected an object, found {}", place_.empty() ? "the request" : place_, shown(object_)));
}

const Json& Fields::take(const std::string& key) {
  const auto found = object_.find(key);
  if (found == object_.end()) throw BadRequest(name(key) + " is missing");
  taken_.insert(key);
  return *found;
}

std::int64_t Fields::integer(const std::string& key, std::int64_t low, std::int64_t high) {
  const Json& value = take(key);
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (fits && value.get<std::int64_t>() >= low && value.get<std::int64_t>() <= high) {
    return value.get<std::int64_t>();
  }
  throw BadRequest(fmt::format(
      "{}: expected a whole number in {} ... {}, found {}", name(key), low, high, shown(value)));
}

double Fields::number(const std::string& key, double low, double high) {
  const Json& value = take(key);
  if (value.is_number() && value.get<double>() >= low && value.get<double>() <= high) {
    return value.get<double>();
  }
  throw BadRequest(fmt::format(
      "{}: expected a number in {:g} ... {:g}, found {}", name(key), low, high, shown(value)));
}

std::string Fields::text(const std::string& key) {
  const Json& value = take(key);
  if (value.is_string()) return value.get<std::string>();
  throw BadRequest(fmt::format("{}: expected a text, found {}", name(key), shown(value)));
}

std::vector<Fields> Fields::objects(const std::string& key, std::size_t most) {
  const Json& value = take(key);
  if (!value.is_array() || value.size() > most) {
    throw BadRequest(fmt::format("{}: expected a list of at most {} objects, found {}",
                                 name(key),
                                 most,
                                 value.is_array() ? std::to_string(value.size()) : shown(value)));
  }
  std::vector<Fields> all;
  for (std::size_t i = 0; i < value.size(); ++i) {
    all.emplace_back(value[i], fmt::format("{}[{}].", name(key), i));
  }
  return all;
}

void Fields::finish() const {
  for (const auto& [key, value] : object_.items()) {
    if (!taken_.contains(key)) throw BadRequest(excerpt(name(key)) + " is not known here");
  }
}

KnownDepths known_depths(Fields& fields, const ImageSize& size) {
  KnownDepths known;
  for (Fields& point : fields.objects("points", kMostPoints)) {
    const std::int64_t x = point.integer("x", 0, size.width - 1);
    const std::int64_t y = point.integer("y", 0, size.height - 1);
    known.points.push_back({y * size.width + x, point.number("depth", 1e-6, 1e9)});
    point.finish();
  }
  known.noise.metres = fields.number("noise_metres", 0.0, 1e6);
  known.noise.relative = fields.number("noise_relative", 0.0, 10.0);
  std::sort(known.points.begin(), known.points.end(), [](const auto& a, const auto& b) {
    return a.pixel < b.pixel;
  });
  const auto twice = std::adjacent_find(
      known.points.begin(), known.points.end(), [](const auto& a, const auto& b) {
        return a.pixel == b.pixel;
      });
  if (twice == known.points.end()) return known;
  throw BadRequest(fmt::format(
      "points: {},{} is given twice", twice->pixel % size.width, twice->pixel / size.width));
}

std::vector<PixelBox> pixel_boxes(Fields& fields, const ImageSize& size) {
  std::vector<PixelBox> boxes;
  for (Fields& region : fields.objects("regions", kMostRegions)) {
    PixelBox box;
    box.left = region.integer("x", 0, size.width - 1);
    box.top = region.integer("y", 0, size.height - 1);
    box.width = region.integer("width", 1, size.width - box.left);
    box.height = region.integer("height", 1, size.height - box.top);
    region.finish();
    boxes.push_back(box);
  }
  if (boxes.empty()) throw BadRequest("regions: expected at least one");
  return boxes;
}

}  // namespace supn
