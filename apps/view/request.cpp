#include "view/request.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "supn/excerpt.hpp"
#include "view/reply.hpp"

namespace supn {
namespace {

Json parsed(std::string_view text) {
  if (text.size() > kLargestRequest) {
    throw BadRequest(
        fmt::format("the request has {} bytes, more than {}", text.size(), kLargestRequest), 413);
  }
  try {
    return parse_json(text);
  } catch (const JsonError& error) {
    throw BadRequest(std::string("the request is no JSON: ") + error.what());
  }
}

}  // namespace

Fields::Fields(std::string_view text) : Fields(parsed(text), "") {}

Fields::Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
  object_of(object_, place_.empty() ? "the request" : place_);
}

const Json& Fields::take(const std::string& key) {
  const auto found = object_.find(key);
  if (found == object_.end()) throw BadRequest(name(key) + " is missing");
  taken_.insert(key);
  return *found;
}

std::int64_t Fields::integer(const std::string& key, std::int64_t low, std::int64_t high) {
  return value_in(take(key), name(key), low, high);
}

double Fields::number(const std::string& key, double low, double high) {
  return value_in(take(key), name(key), low, high);
}

std::string Fields::text(const std::string& key) {
  return value_of<std::string>(take(key), name(key));
}

std::vector<Fields> Fields::objects(const std::string& key, std::size_t most) {
  const Json& value = take(key);
  if (!value.is_array() || value.size() > most) {
    throw BadRequest(
        fmt::format("{}: expected a list of at most {} objects, found {}",
                    name(key),
                    most,
                    value.is_array() ? std::to_string(value.size()) : excerpt(json_text(value))));
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
