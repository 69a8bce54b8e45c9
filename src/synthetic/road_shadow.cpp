#include "road_shadow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace supn::road {
namespace {

constexpr double kCellSize = 4.0;
constexpr double kShadowReach = 60.0;

std::size_t cells_between(double low, double high) {
  return static_cast<std::size_t>(std::max(0.0, high - low) / kCellSize) + 1;
}

std::size_t index_of(double distance, std::size_t count) {
  const double last = static_cast<double>(count - 1);
  return static_cast<std::size_t>(std::clamp(std::floor(distance / kCellSize), 0.0, last));
}

}  // namespace

SunGrid::SunGrid(const World& world)
    : to_sun_(world.light.to_sun), shines_(world.light.sun.x > 0.0) {
  across_ = normalized({to_sun_.z, 0.0, -to_sun_.x});
  up_ = {across_.y * to_sun_.z - across_.z * to_sun_.y,
         across_.z * to_sun_.x - across_.x * to_sun_.z,
         across_.x * to_sun_.y - across_.y * to_sun_.x};
  double high_across = -std::numeric_limits<double>::max();
  double high_up = high_across;
  low_across_ = low_up_ = std::numeric_limits<double>::max();
  for (const Thing& thing : world.things) {
    const double a = dot(thing.bounds_centre, across_);
    const double u = dot(thing.bounds_centre, up_);
    low_across_ = std::min(low_across_, a - thing.bounds_radius);
    high_across = std::max(high_across, a + thing.bounds_radius);
    low_up_ = std::min(low_up_, u - thing.bounds_radius);
    high_up = std::max(high_up, u + thing.bounds_radius);
  }
  rows_ = cells_between(low_up_, high_up);
  columns_ = cells_between(low_across_, high_across);
  cells_.resize(rows_ * columns_);
  for (const Thing& thing : world.things) {
    const double a = dot(thing.bounds_centre, across_);
    const double u = dot(thing.bounds_centre, up_);
    const Cell first = cell_at(a - thing.bounds_radius, u - thing.bounds_radius);
    const Cell last = cell_at(a + thing.bounds_radius, u + thing.bounds_radius);
    for (std::size_t row = first.row; row <= last.row; ++row) {
      for (std::size_t column = first.column; column <= last.column; ++column) {
        cells_[row * columns_ + column].push_back(&thing);
      }
    }
  }
}

SunGrid::Cell SunGrid::cell_at(double across, double up) const {
  return {index_of(up - low_up_, rows_), index_of(across - low_across_, columns_)};
}

Sun SunGrid::sun_at(const Vec& at, const Vec& normal) const {
  if (!shines_ || dot(normal, to_sun_) <= 0.0) return Sun::kHidden;
  const Ray ray{at + normal * 0.01, to_sun_};
  const Cell cell = cell_at(dot(ray.origin, across_), dot(ray.origin, up_));
  for (const Thing* thing : cells_[cell.row * columns_ + cell.column]) {
    if (intersect(*thing, ray, kShadowReach)) return Sun::kHidden;
  }
  return Sun::kVisible;
}

}  // namespace supn::road
