#include "supn/evaluation/depth/scattered.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/isin.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace supn {
namespace {

const ImageSize kMapSize{24, 40};

at::Tensor plane(double along_x, double along_y) {
  const at::Tensor pixels = at::arange(kMapSize.height * kMapSize.width, at::kLong);
  return pixels.remainder(kMapSize.width).to(at::kDouble) * along_x +
         pixels.div(kMapSize.width, "floor").to(at::kDouble) * along_y + 1.5;
}

// Corners included, the triangles cover the image: a plane comes back as it is.
TEST(Scattered, InterpolatesAPlaneExactly) {
  at::manual_seed(2);
  const at::Tensor truth = plane(0.3, -0.7);
  for (const std::int64_t count : {4, 9, 200, 960}) {
    const at::Tensor corners = at::tensor({0, 39, 920, 959}, at::kLong);
    at::Tensor pixels = at::randperm(960, at::kLong);
    pixels = at::cat({corners, pixels.masked_select(at::isin(pixels, corners).logical_not())});
    pixels = pixels.narrow(0, 0, count);
    const at::Tensor map = interpolate_scattered(pixels, truth.index_select(0, pixels), kMapSize);
    EXPECT_TRUE(map.flatten().allclose(truth, 1e-9, 1e-9)) << count;
  }
}

struct Place {
  std::int64_t x;
  std::int64_t y;
};

Place place_of(std::int64_t pixel) { return {pixel % kMapSize.width, pixel / kMapSize.width}; }

std::vector<Place> places_of(const at::Tensor& pixels) {
  std::vector<Place> places;
  for (std::int64_t i = 0; i < pixels.numel(); ++i) {
    places.push_back(place_of(pixels[i].item<std::int64_t>()));
  }
  return places;
}

std::int64_t twice_area(const Place& a, const Place& b, const Place& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// By all lines through two points: outside of the hull are those with such a line between them and
// all points.
bool is_in_hull(const std::vector<Place>& points, const Place& place) {
  for (const Place& from : points) {
    for (const Place& to : points) {
      const auto is_left = [&](const Place& p) { return twice_area(from, to, p) > 0; };
      if (is_left(place) && std::ranges::none_of(points, is_left)) return false;
    }
  }
  return true;
}

// The nearest values of a plane are not the plane's, so that each pixel tells which it took.
void expect_plane_inside(const at::Tensor& pixels) {
  const at::Tensor truth = plane(0.31, -0.7);
  const at::Tensor map = interpolate_scattered(pixels, truth.index_select(0, pixels), kMapSize);
  const at::Tensor is_plane = map.flatten().isclose(truth, 1e-12, 1e-12);
  const std::vector<Place> points = places_of(pixels);
  for (std::int64_t n = 0; n < truth.numel(); ++n) {
    ASSERT_EQ(is_plane[n].item<bool>(), is_in_hull(points, place_of(n))) << n << " of " << pixels;
  }
}

TEST(Scattered, CoversTheConvexHullExactly) {
  at::manual_seed(5);
  for (int set = 0; set < 60; ++set) {
    expect_plane_inside(at::randperm(960, at::kLong).narrow(0, 0, 3 + set % 20));
  }
}

// A long side of the hull with a point one pixel inside of it is a triangle so slim that its circle
// is far larger than the image; corners of squares lie on one circle.
TEST(Scattered, CoversTheHullOfSlimTrianglesLinesThatBendAndSquares) {
  expect_plane_inside(at::tensor({0, 39, 40 + 20, 12 * 40 + 20}, at::kLong));
  expect_plane_inside(at::tensor({204, 210, 230, 220, 250}, at::kLong));
  const at::Tensor all = at::arange(960, at::kLong).view({24, 40});
  const at::Tensor squares = all.slice(0, 2, 24, 7).slice(1, 3, 40, 7).reshape({-1});
  expect_plane_inside(squares);
  expect_plane_inside(squares.flip(0));
}

// Tells by its centre whether the circle through three points holds none of the others.
bool is_circle_empty(const std::array<Place, 3>& t, const std::vector<Place>& all) {
  const auto square = [](const Place& p, const Place& q) {
    return static_cast<double>((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y));
  };
  const double b = square(t[1], t[0]);
  const double c = square(t[2], t[0]);
  const auto d = 2.0 * static_cast<double>(twice_area(t[0], t[1], t[2]));
  const auto difference = [](std::int64_t p, std::int64_t q) { return static_cast<double>(p - q); };
  const double x = (difference(t[2].y, t[0].y) * b - difference(t[1].y, t[0].y) * c) / d;
  const double y = (difference(t[1].x, t[0].x) * c - difference(t[2].x, t[0].x) * b) / d;
  return std::ranges::none_of(all, [&](const Place& p) {
    return std::hypot(difference(p.x, t[0].x) - x, difference(p.y, t[0].y) - y) <
           std::hypot(x, y) - 1e-9;
  });
}

// Marks the pixels of a triangle as covered and, where the map has its value, as explained.
struct Explained {
  at::Tensor map;
  std::vector<bool> is_covered = std::vector<bool>(960);
  std::vector<bool> is_explained = std::vector<bool>(960);

  void add(const std::array<Place, 3>& t, const std::array<double, 3>& values) {
    const auto area = static_cast<double>(twice_area(t[0], t[1], t[2]));
    for (std::size_t n = 0; n < 960; ++n) {
      const Place p = place_of(static_cast<std::int64_t>(n));
      const double a = static_cast<double>(twice_area(p, t[1], t[2])) / area;
      const double b = static_cast<double>(twice_area(t[0], p, t[2])) / area;
      const double c = static_cast<double>(twice_area(t[0], t[1], p)) / area;
      if (std::min({a, b, c}) < 0.0) continue;
      is_covered[n] = true;
      const double expected = a * values[0] + b * values[1] + c * values[2];
      if (std::abs(map.const_data_ptr<double>()[n] - expected) < 1e-9) is_explained[n] = true;
    }
  }
};

// The definition allows all triples of points with an empty circle as triangles. Where four lie on
// one circle a pixel is in several, of which any will do.
TEST(Scattered, TrianglesHaveEmptyCircles) {
  at::manual_seed(6);
  for (int set = 0; set < 30; ++set) {
    const at::Tensor pixels = at::randperm(960, at::kLong).narrow(0, 0, 9);
    const at::Tensor values = at::randn({9}, at::kDouble);
    const std::vector<Place> all = places_of(pixels);
    const auto* value = values.const_data_ptr<double>();
    Explained explained{interpolate_scattered(pixels, values, kMapSize)};
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t j = i + 1; j < 9; ++j) {
        for (std::size_t k = j + 1; k < 9; ++k) {
          const std::array<Place, 3> t{all[i], all[j], all[k]};
          if (twice_area(t[0], t[1], t[2]) == 0 || !is_circle_empty(t, all)) continue;
          explained.add(t, {value[i], value[j], value[k]});
        }
      }
    }
    for (std::size_t n = 0; n < 960; ++n) {
      const bool is_inside = is_in_hull(all, place_of(static_cast<std::int64_t>(n)));
      EXPECT_EQ(explained.is_covered[n], is_inside) << n << " of " << pixels;
      EXPECT_EQ(explained.is_explained[n], is_inside) << n << " of " << pixels;
    }
  }
}

TEST(Scattered, TakesTheNearestOutsideOfTheTriangles) {
  const at::Tensor pixels = at::tensor({5 * 40 + 5, 5 * 40 + 15, 15 * 40 + 5}, at::kLong);
  const at::Tensor map =
      interpolate_scattered(pixels, at::tensor({1.0, 2.0, 4.0}, at::kDouble), kMapSize);
  EXPECT_EQ(map[0][0].item<double>(), 1.0);
  EXPECT_EQ(map[5][39].item<double>(), 2.0);
  EXPECT_EQ(map[23][5].item<double>(), 4.0);
  EXPECT_NEAR(map[5][10].item<double>(), 1.5, 1e-12);
}

TEST(Scattered, IsNearestForPointsOnALineOrASinglePoint) {
  const at::Tensor line = at::tensor({5 * 40 + 4, 5 * 40 + 10, 5 * 40 + 30}, at::kLong);
  const at::Tensor map =
      interpolate_scattered(line, at::tensor({1.0, 2.0, 3.0}, at::kDouble), kMapSize);
  EXPECT_EQ(map[20][0].item<double>(), 1.0);
  EXPECT_EQ(map[0][39].item<double>(), 3.0);
  const at::Tensor one = interpolate_scattered(line.narrow(0, 1, 1), at::tensor({7.0}), kMapSize);
  EXPECT_TRUE(one.eq(7.0).all().item<bool>());
}

TEST(Scattered, RejectsPointsOutsideTwiceAndNone) {
  const at::Tensor value = at::tensor({1.0}, at::kDouble);
  EXPECT_THROW(interpolate_scattered(at::tensor({960}, at::kLong), value, kMapSize), c10::Error);
  EXPECT_THROW(
      interpolate_scattered(at::tensor({7, 7}, at::kLong), at::tensor({1.0, 1.0}), kMapSize),
      c10::Error);
  EXPECT_THROW(interpolate_scattered(at::arange(0, at::kLong), at::arange(0), kMapSize),
               c10::Error);
}

}  // namespace
}  // namespace supn
