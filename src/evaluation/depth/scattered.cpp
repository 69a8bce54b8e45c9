#include "supn/evaluation/depth/scattered.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace supn {
namespace {

struct Point {
  double x;
  double y;
  double value;
};

std::vector<Point> points_of(const at::Tensor& pixels,
                             const at::Tensor& values,
                             const ImageSize& size) {
  const at::Tensor where = pixels.contiguous();
  const at::Tensor what = values.to(at::kDouble).contiguous();
  std::vector<Point> points;
  for (std::int64_t i = 0; i < where.size(0); ++i) {
    const std::int64_t pixel = where.const_data_ptr<std::int64_t>()[i];
    TORCH_CHECK(pixel >= 0 && pixel < size.height * size.width,
                "interpolate_scattered: pixel ",
                pixel,
                " is outside of the image");
    points.push_back({static_cast<double>(pixel % size.width),
                      static_cast<double>(pixel / size.width),
                      what.const_data_ptr<double>()[i]});
  }
  return points;
}

// Corners as indices of points, anticlockwise (y upwards).
using Corners = std::array<std::size_t, 3>;

double twice_area(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

// Tells whether p lies inside the circle through a triangle's corners. Pixels are whole numbers, so
// that the determinant has no rounding for images of a few thousand pixels.
bool is_in_circle(const Point& a, const Point& b, const Point& c, const Point& p) {
  const auto square = [&](const Point& q) {
    return (q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y);
  };
  const auto cross = [&](const Point& q, const Point& r) {
    return (q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y);
  };
  return square(a) * cross(b, c) + square(b) * cross(c, a) + square(c) * cross(a, b) > 0.0;
}

// Replaces the triangles whose circle holds the point by those between it and their outline.
void insert(std::size_t point, const std::vector<Point>& points, std::vector<Corners>& triangles) {
  std::set<std::pair<std::size_t, std::size_t>> outline;  // directed edges
  std::erase_if(triangles, [&](const Corners& t) {
    if (!is_in_circle(points[t[0]], points[t[1]], points[t[2]], points[point])) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t from = t[i];
      const std::size_t to = t[(i + 1) % 3];
      if (outline.erase({to, from}) == 0) outline.insert({from, to});  // else shared: inside
    }
    return true;
  });
  for (const auto& [from, to] : outline) triangles.push_back({from, to, point});
}

// Finds Delaunay triangles by Bowyer and Watson's insertion, in a triangle far larger than the
// image.
std::vector<Corners> triangles_of(std::vector<Point> points, const ImageSize& size) {
  const std::size_t count = points.size();
  const auto side = static_cast<double>(std::max(size.height, size.width));
  points.push_back({-4.0 * side, -4.0 * side, 0.0});
  points.push_back({8.0 * side, -4.0 * side, 0.0});
  points.push_back({-4.0 * side, 8.0 * side, 0.0});
  std::vector<Corners> triangles{{count, count + 1, count + 2}};
  for (std::size_t point = 0; point < count; ++point) insert(point, points, triangles);
  std::erase_if(triangles, [&](const Corners& t) { return *std::ranges::max_element(t) >= count; });
  return triangles;
}

void fill(const Point& a, const Point& b, const Point& c, std::int64_t width, double* map) {
  constexpr double kSlack = 1e-9;
  const double area = twice_area(a, b, c);
  const auto [top, bottom] = std::minmax({a.y, b.y, c.y});
  const auto [left, right] = std::minmax({a.x, b.x, c.x});
  for (double y = top; y <= bottom; ++y) {
    for (double x = left; x <= right; ++x) {
      const double second = twice_area(a, {x, y, 0.0}, c) / area;
      const double third = twice_area(a, b, {x, y, 0.0}) / area;
      if (std::min({second, third, 1.0 - second - third}) < -kSlack) continue;
      map[static_cast<std::int64_t>(y) * width + static_cast<std::int64_t>(x)] =
          a.value + second * (b.value - a.value) + third * (c.value - a.value);
    }
  }
}

double nearest_value(const std::vector<Point>& points, double x, double y) {
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
  const std::vector<Point> points = points_of(pixels, values, size);
  at::Tensor map =
      at::full({size.height, size.width}, std::numeric_limits<double>::quiet_NaN(), at::kDouble);
  double* const out = map.mutable_data_ptr<double>();
  for (const Corners& t : triangles_of(points, size)) {
    fill(points[t[0]], points[t[1]], points[t[2]], size.width, out);
  }
  for (std::int64_t n = 0; n < map.numel(); ++n) {
    if (!std::isnan(out[n])) continue;
    out[n] = nearest_value(
        points, static_cast<double>(n % size.width), static_cast<double>(n / size.width));
  }
  return map;
}

}  // namespace supn
