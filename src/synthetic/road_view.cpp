#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "road_shading.hpp"
#include "road_shadow.hpp"
#include "road_world.hpp"
#include "supn/synthetic/road.hpp"

namespace supn {
namespace road {
namespace {

// Odd, so that one of a pixel's rays goes through its centre.
constexpr int kRaysPerSide = 3;
constexpr double kNearPlane = 0.2;
constexpr double kSensorNoise = 0.006;

class Camera {
 public:
  Camera(const World& world, const ImageSize& size)
      : focal_(kRoadFocalOverWidth * static_cast<double>(size.width)),
        centre_x_(0.5 * static_cast<double>(size.width)),
        centre_y_(kRoadPrincipalHeight * static_cast<double>(size.height)) {
    const double cp = std::cos(world.pitch);
    const double sp = std::sin(world.pitch);
    const double cy = std::cos(world.yaw);
    const double sy = std::sin(world.yaw);
    right_ = {cy, 0.0, -sy};
    up_ = {sy * sp, cp, cy * sp};
    forward_ = {sy * cp, -sp, cy * cp};
  }

  // t along it is the depth z.
  Ray ray(double x, double y) const {
    const Vec direction =
        forward_ + right_ * ((x - centre_x_) / focal_) + up_ * ((centre_y_ - y) / focal_);
    return {position(), direction};
  }
  double metres_per_pixel(double depth) const { return depth / focal_; }

  // First and past-the-end column that a thing can cover.
  std::pair<std::int64_t, std::int64_t> columns(const Thing& thing, std::int64_t width) const {
    const Vec from_camera = thing.bounds_centre - position();
    const double radius = thing.bounds_radius;
    const double x = dot(from_camera, right_);
    const double z = dot(from_camera, forward_);
    if (z + radius < kNearPlane) return {0, 0};
    if (z - radius < kNearPlane) return {0, width};
    const double low = std::min((x - radius) / (z - radius), (x - radius) / (z + radius));
    const double high = std::max((x + radius) / (z - radius), (x + radius) / (z + radius));
    const auto column = [&](double slope) {
      return std::clamp(centre_x_ + focal_ * slope, 0.0, static_cast<double>(width));
    };
    return {static_cast<std::int64_t>(std::floor(column(low))),
            static_cast<std::int64_t>(std::ceil(column(high)))};
  }

 private:
  static Vec position() { return {0.0, kRoadCameraHeight, 0.0}; }

  double focal_;
  double centre_x_;
  double centre_y_;
  Vec right_;
  Vec up_;
  Vec forward_;
};

double skyline_height(const World& world, double x) {
  return 6.0 + 9.0 * fractal_noise({x, 0, 0}, {.wavelength = 90.0, .octaves = 6}, world.seed + 10);
}

// Returns the ground or the skyline, whichever the ray meets.
std::optional<Hit> meet_background(const World& world, const Ray& ray) {
  Hit hit;
  const double to_skyline = (kSkylineDistance - ray.origin.z) / ray.direction.z;
  const double to_ground = -ray.origin.y / ray.direction.y;
  if (ray.direction.y < 0.0 && (to_skyline <= 0.0 || to_ground < to_skyline)) {
    hit.t = to_ground;
    hit.normal = {0.0, 1.0, 0.0};
    return hit;
  }
  const Vec at = ray.origin + ray.direction * to_skyline;
  if (to_skyline <= 0.0 || at.y > skyline_height(world, at.x)) return {};
  hit.t = to_skyline;
  hit.normal = {0.0, 0.6, -0.8};
  hit.material = Material::kSkyline;
  return hit;
}

std::optional<Hit> nearest_hit(const World& world,
                               const Ray& ray,
                               const std::vector<const Thing*>& candidates) {
  std::optional<Hit> nearest = meet_background(world, ray);
  double t_max = nearest ? nearest->t : std::numeric_limits<double>::max();
  for (const Thing* thing : candidates) {
    const std::optional<Hit> hit = intersect(*thing, ray, t_max);
    if (!hit || hit->t < kNearPlane) continue;
    nearest = hit;
    t_max = hit->t;
  }
  return nearest;
}

// Turns linear light into a display value in [0, 255], highlights rolled off.
std::uint8_t display_value(double linear, double noise) {
  const double exposed = 1.25 * std::max(0.0, linear);
  const double rolled =
      exposed < 0.6 ? exposed : 0.6 + 0.4 * (1.0 - std::exp((0.6 - exposed) / 0.4));
  const double value = std::pow(rolled, 1.0 / 2.2) + noise;
  return static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(value, 0.0, 1.0)));
}

class Renderer {
 public:
  // A renderer is not copied: the grid and the lists point into the world.
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;
  Renderer(std::uint64_t seed, const ImageSize& size)
      : world_(make_world(seed)), size_(size), camera_(world_, size), sun_(world_) {
    candidates_.resize(static_cast<std::size_t>(size.width));
    for (const Thing& thing : world_.things) {
      const auto [first, end] = camera_.columns(thing, size.width);
      for (std::int64_t x = first; x < end; ++x)
        candidates_[static_cast<std::size_t>(x)].push_back(&thing);
    }
  }

  RoadView render() const {
    RoadView view{at::empty({size_.height, size_.width, 3}, at::kByte),
                  at::empty({size_.height, size_.width}, at::kFloat)};
    auto* rgb = view.rgb.mutable_data_ptr<std::uint8_t>();
    auto* depth = view.depth_m.mutable_data_ptr<float>();
    for (std::int64_t y = 0; y < size_.height; ++y) {
      for (std::int64_t x = 0; x < size_.width; ++x) {
        const std::int64_t pixel = y * size_.width + x;
        depth[pixel] = render_pixel(x, y, rgb + 3 * pixel);
      }
    }
    return view;
  }

 private:
  // Writes the colour, returns the depth at the centre.
  float render_pixel(std::int64_t x, std::int64_t y, std::uint8_t* rgb) const {
    Vec sum;
    double depth = 0.0;
    for (int ray = 0; ray < kRaysPerSide * kRaysPerSide; ++ray) {
      const auto step = [](int i) { return (i + 0.5) / kRaysPerSide; };
      const Ray line = camera_.ray(static_cast<double>(x) + step(ray % kRaysPerSide),
                                   static_cast<double>(y) + step(ray / kRaysPerSide));
      const std::optional<Hit> hit =
          nearest_hit(world_, line, candidates_[static_cast<std::size_t>(x)]);
      sum = sum + (hit ? colour_of(line, *hit) : sky_colour(world_, normalized(line.direction)));
      if (ray == kRaysPerSide * kRaysPerSide / 2 && hit) depth = hit->t;
    }
    const Vec mean = sum * (1.0 / (kRaysPerSide * kRaysPerSide));
    const double channels[3] = {mean.x, mean.y, mean.z};
    for (int c = 0; c < 3; ++c) {
      const double grain = 2.0 * lattice_noise(x, y, c, world_.seed + 20) - 1.0;
      rgb[c] = display_value(channels[c], kSensorNoise * grain);
    }
    return static_cast<float>(depth);
  }

  Vec colour_of(const Ray& ray, const Hit& hit) const {
    const Vec at = ray.origin + ray.direction * hit.t;
    const double distance = hit.t * length(ray.direction);
    // A slanted surface shows more metres in a pixel.
    const double slant = std::abs(dot(hit.normal, ray.direction)) / length(ray.direction);
    const double footprint = camera_.metres_per_pixel(hit.t) / std::max(0.2, std::sqrt(slant));
    const Vec reflected = albedo(world_, hit, at, footprint);
    const Sun sun =
        hit.material == Material::kSkyline ? Sun::kVisible : sun_.sun_at(at, hit.normal);
    return behind_haze(world_, lit_colour(world_, reflected, hit.normal, sun), distance);
  }

  World world_;
  ImageSize size_;
  Camera camera_;
  SunGrid sun_;
  std::vector<std::vector<const Thing*>> candidates_;  // by image column
};

}  // namespace
}  // namespace road

RoadView render_road(std::uint64_t seed, const ImageSize& size) {
  const auto fits = [](std::int64_t side) { return side >= 16 && side <= 4096; };
  TORCH_CHECK(fits(size.height) && fits(size.width),
              "render_road: expected height and width in 16 ... 4096, got ",
              size.height,
              " x ",
              size.width);
  return road::Renderer(seed, size).render();
}

}  // namespace supn
