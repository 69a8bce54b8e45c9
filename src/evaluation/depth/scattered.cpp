#include "supn/evaluation/depth/scattered.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace supn {
namespace {

struct Point {
  std::int64_t x;
  std::int64_t y;
  double value;
};

std::vector<Point> points_of(const at::Tensor& pixels,
                             const at::Tensor& values,
                             const ImageSize& size) {
  std::vector<bool> is_given(static_cast<std::size_t>(size.height * size.width));
  const at::Tensor where = pixels.contiguous();
  const at::Tensor what = values.to(at::kDouble).contiguous();
  std::vector<Point> points;
  for (std::int64_t i = 0; i < where.size(0); ++i) {
    const std::int64_t pixel = where.const_data_ptr<std::int64_t>()[i];
    TORCH_CHECK(pixel >= 0 && pixel < size.height * size.width,
                "interpolate_scattered: pixel ",
                pixel,
                " is outside of the image");
    auto given = is_given[static_cast<std::size_t>(pixel)];
    TORCH_CHECK(!given, "interpolate_scattered: pixel ", pixel, " is given twice");
    given = true;
    points.push_back({pixel % size.width, pixel / size.width, what.const_data_ptr<double>()[i]});
  }
  return points;
}

// Corners as indices of points, anticlockwise (y upwards). Each edge of the convex hull has a
// triangle outside of it whose third corner is infinitely far away, kFar.
using Corners = std::array<std::size_t, 3>;
constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();

// The determinants are whole numbers, without rounding: the largest is below 6·side⁴ < 2⁶³.
constexpr std::int64_t kLongestSide = 30000;

std::int64_t twice_area(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

bool is_in_circle(const Point& a, const Point& b, const Point& c, const Point& p) {
  const auto square = [&](const Point& q) {
    return (q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y);
  };
  return square(a) * twice_area(p, b, c) + square(b) * twice_area(p, c, a) +
             square(c) * twice_area(p, a, b) >
         0;
}

// The circle through a, b and a point infinitely far away: all that lies left of the line from a to
// b, and of the line what lies between them.
bool is_in_half_plane(const Point& a, const Point& b, const Point& p) {
  const std::int64_t area = twice_area(a, b, p);
  if (area != 0) return area > 0;
  return (a.x - p.x) * (b.x - p.x) + (a.y - p.y) * (b.y - p.y) < 0;
}

// Tells whether p lies inside the circle through a triangle's corners.
bool is_hit(const Corners& t, const std::vector<Point>& points, const Point& p) {
  const auto far = static_cast<std::size_t>(std::ranges::find(t, kFar) - t.begin());
  if (far == 3) return is_in_circle(points[t[0]], points[t[1]], points[t[2]], p);
  return is_in_half_plane(points[t[(far + 1) % 3]], points[t[(far + 2) % 3]], p);
}

// Replaces the triangles whose circle holds the point by those between it and their outline.
void insert(std::size_t point, const std::vector<Point>& points, std::vector<Corners>& triangles) {
  std::set<std::pair<std::size_t, std::size_t>> outline;  // directed edges
  std::erase_if(triangles, [&](const Corners& t) {
    if (!is_hit(t, points, points[point])) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t from = t[i];
      const std::size_t to = t[(i + 1) % 3];
      if (outline.erase({to, from}) == 0) outline.insert({from, to});  // else shared: inside
    }
    return true;
  });
  for (const auto& [from, to] : outline) triangles.push_back({from, to, point});
}

// Returns a triangle of points; none where all lie on a line.
std::optional<Corners> first_triangle(const std::vector<Point>& points) {
  for (std::size_t third = 2; third < points.size(); ++third) {
    const std::int64_t area = twice_area(points[0], points[1], points[third]);
    if (area > 0) return Corners{0, 1, third};
    if (area < 0) return Corners{1, 0, third};
  }
  return std::nullopt;
}

// Finds Delaunay triangles by Bowyer and Watson's insertion.
std::vector<Corners> triangles_of(const std::vector<Point>& points) {
  const std::optional<Corners> first = first_triangle(points);
  if (!first) return {};
  const auto [a, b, c] = *first;
  std::vector<Corners> triangles{*first, {b, a, kFar}, {c, b, kFar}, {a, c, kFar}};
  for (std::size_t point = 0; point < points.size(); ++point) insert(point, points, triangles);
  std::erase_if(triangles, [](const Corners& t) { return std::ranges::find(t, kFar) != t.end(); });
  return triangles;
}

void fill(const Point& a, const Point& b, const Point& c, std::int64_t width, double* map) {
  const std::int64_t area = twice_area(a, b, c);
  const auto [top, bottom] = std::minmax({a.y, b.y, c.y});
  const auto [left, right] = std::minmax({a.x, b.x, c.x});
  for (std::int64_t y = top; y <= bottom; ++y) {
    for (std::int64_t x = left; x <= right; ++x) {
      const Point p{x, y, 0.0};
      const std::int64_t second = twice_area(a, p, c);
      const std::int64_t third = twice_area(a, b, p);
      if (std::min({second, third, area - second - third}) < 0) continue;
      map[y * width + x] = a.value + (static_cast<double>(second) * (b.value - a.value) +
                                      static_cast<double>(third) * (c.value - a.value)) /
                                         static_cast<double>(area);
    }
  }
}

double nearest_value(const std::vector<Point>& points, std::int64_t x, std::int64_t y) {
  const auto squared = [&](const Point& p) {
    return (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y);
  };
  return std::min_element(points.begin(),
                          points.end(),
                          [&](const Point& p, const Point& q) { return squared(p) < squared(q); })
      ->value;
}

}  // namespace

at::Tensor interpolate_scattered(const at::Tensor& pixels,
                                 const at::Tensor& values,
                                 const ImageSize& size) {
  TORCH_CHECK(pixels.size(0) > 0, "interpolate_scattered: expected a value, got none");
  TORCH_CHECK(std::max(size.height, size.width) <= kLongestSide,
              "interpolate_scattered: expected sides of at most ",
              kLongestSide,
              ", got ",
              size.height,
              " x ",
              size.width);
  const std::vector<Point> points = points_of(pixels, values, size);
  at::Tensor map =
      at::full({size.height, size.width}, std::numeric_limits<double>::quiet_NaN(), at::kDouble);
  double* const out = map.mutable_data_ptr<double>();
  for (const Corners& t : triangles_of(points)) {
    fill(points[t[0]], points[t[1]], points[t[2]], size.width, out);
  }
  for (std::int64_t n = 0; n < map.numel(); ++n) {
    if (!std::isnan(out[n])) continue;
    out[n] = nearest_value(points, n % size.width, n / size.width);
  }
  return map;
}

}  // namespace supn
