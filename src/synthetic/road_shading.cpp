#include "road_shading.hpp"

#include <algorithm>
#include <cmath>

namespace supn::road {
namespace {

constexpr Vec kWhitePaint{0.55, 0.55, 0.53};
constexpr Vec kGlass{0.035, 0.045, 0.055};

double wrapped(double value, double period) { return value - period * std::floor(value / period); }

double texture(const Vec& p, double wavelength, double footprint, std::uint32_t seed) {
  return fractal_noise(p, {.wavelength = wavelength, .octaves = 5, .footprint = footprint}, seed);
}

Vec asphalt(const World& world, const Vec& at, double u, double footprint) {
  const RoadCourse& course = world.course;
  const double coarse = texture(at, 6.0, footprint, world.seed);
  const double fine = texture(at, 0.35, footprint, world.seed + 1);
  const double lane = 0.5 * course.half_width;
  const double track = std::abs(std::abs(std::abs(u) - lane) - 0.75);
  const double wear = track < 0.35 ? 0.9 : 1.0;
  const auto patch = static_cast<std::int64_t>(std::floor(at.z / 5.5));
  const bool patched = lattice_noise(patch, u > 0.0 ? 1 : 0, 7, world.seed) > 0.86;
  return course.asphalt * (wear * (1.0 + 0.35 * coarse + 0.45 * fine) * (patched ? 0.7 : 1.0));
}

Vec road_surface(const World& world, const Vec& at, double u, double footprint) {
  const RoadCourse& course = world.course;
  const bool dash = wrapped(at.z + 50.0, 7.5) < 3.6;
  const double edge = std::abs(std::abs(u) - (course.half_width - 0.28));
  const bool marked = (std::abs(u) < 0.075 && dash) || (course.has_edge_lines && edge < 0.065);
  if (!marked) return asphalt(world, at, u, footprint);
  return kWhitePaint * (0.95 + 0.3 * texture(at, 0.5, footprint, world.seed + 2));
}

Vec pavement(const World& world, const Vec& at, double beyond, double footprint) {
  if (beyond < 0.18) return Vec{0.34, 0.33, 0.32} * (1.0 + 0.2 * texture(at, 0.6, footprint, 11));
  const bool joint = wrapped(at.z, 0.6) < 0.035 || wrapped(beyond, 0.6) < 0.035;
  const auto row = static_cast<std::int64_t>(std::floor(at.z / 0.6));
  const auto column = static_cast<std::int64_t>(std::floor(beyond / 0.6));
  const double slab = footprint < 0.4 ? lattice_noise(row, column, 3, world.seed) : 0.5;
  const double shade = 0.85 + 0.2 * slab + 0.25 * texture(at, 0.8, footprint, world.seed + 4);
  return Vec{0.27, 0.26, 0.25} * (joint && footprint < 0.1 ? 0.6 : shade);
}

Vec ground(const World& world, const Vec& at, double footprint) {
  const RoadCourse& course = world.course;
  const double u = at.x - course.centre_at(at.z);
  const double beyond = std::abs(u) - course.half_width;
  if (beyond < 0.0) return road_surface(world, at, u, footprint);
  if (beyond < course.pavement) return pavement(world, at, beyond, footprint);
  const double blades = texture(at, 0.5, footprint, world.seed + 5);
  const double patches = texture(at, 5.0, footprint, world.seed + 6);
  return course.verge * (1.0 + 0.7 * blades) + Vec{0.05, 0.035, 0.0} * std::max(0.0, patches);
}

Vec window_or_wall(const Vec& wall, double u, double v, std::uint32_t look) {
  if (std::abs(u) > 0.62 || std::abs(v) > 0.82) return wall;
  const bool frame = std::abs(u) > 0.52 || std::abs(v) > 0.72 || std::abs(u) < 0.03;
  if (frame) return {0.52, 0.51, 0.49};
  const bool curtain = look % 5 == 0;
  return curtain ? Vec{0.30, 0.28, 0.25} : mix(kGlass, {0.16, 0.20, 0.25}, 0.5 + 0.5 * v);
}

Vec facade(const Hit& hit, double footprint) {
  const Thing& house = *hit.thing;
  const bool faces_road = std::abs(hit.own_face.x) > std::abs(hit.own_face.z);
  const double s = faces_road ? hit.own.z : hit.own.x;
  const double y = hit.own.y;
  const double stain = texture({s, y, 0.0}, 3.0, footprint, house.seed);
  const double grain = texture({s, y, 0.0}, 0.4, footprint, house.seed + 1);
  Vec wall = house.colour * (1.0 + 0.22 * stain + 0.2 * grain);
  if (y < 0.55) wall = wall * 0.6;
  const double top = 2.0 * house.half.y;
  if (house.material == Material::kRoof) return wall;  // a gable
  if (y > top - 0.25) return wall * 0.75;
  const double period = 2.3 + 1.3 * lattice_noise(1, 0, 0, house.seed);
  const double floor_height = 2.7;
  const double column = std::floor(s / period);
  const double floor = std::floor(y / floor_height);
  if ((floor + 1.0) * floor_height > top + 0.3) return wall;
  const double u = s - (column + 0.5) * period;
  const double v = y - floor * floor_height - 1.55;
  const auto look =
      static_cast<std::uint32_t>(1000.0 * lattice_noise(static_cast<std::int64_t>(column),
                                                        static_cast<std::int64_t>(floor),
                                                        faces_road ? 1 : 0,
                                                        house.seed));
  if (floor == 0.0 && look < 180) {
    return std::abs(u) < 0.5 && y < 2.1 ? Vec{0.14, 0.08, 0.05} : wall;
  }
  return look > 930 ? wall : window_or_wall(wall, u, v, look);
}

Vec roof(const Hit& hit, double footprint) {
  const Thing& house = *hit.thing;
  const double row = wrapped(hit.own.y, 0.28) < 0.07 && footprint < 0.2 ? 0.75 : 1.0;
  return house.colour * (row * (1.0 + 0.5 * texture(hit.own, 1.5, footprint, house.seed + 3)));
}

Vec car_body(const Hit& hit) {
  const Thing& car = *hit.thing;
  const Vec& p = hit.own;
  const bool is_end = std::abs(hit.own_face.z) > 0.9;
  if (p.y < 0.38) return {0.02, 0.02, 0.022};
  if (is_end) {
    if (std::abs(p.x) > 0.5 && p.y > 0.6 && p.y < 0.8) {
      return hit.own_face.z < 0.0 ? Vec{0.5, 0.01, 0.01} : Vec{0.75, 0.75, 0.72};
    }
    if (std::abs(p.x) < 0.27 && p.y > 0.44 && p.y < 0.57) return {0.7, 0.68, 0.55};
    return car.colour;
  }
  const double from_axle = std::abs(p.z) - 0.62 * car.half.z;
  const double arch = std::hypot(from_axle, p.y - 0.31);
  if (std::abs(hit.own_face.x) > 0.9 && arch < 0.38) return {0.015, 0.015, 0.015};
  return car.colour;
}

Vec car_cabin(const Hit& hit) {
  const Thing& car = *hit.thing;
  const double from_bottom = (hit.own.y - (car.centre.y - car.half.y)) / (2.0 * car.half.y);
  const bool is_side = std::abs(hit.own_face.x) > 0.5;
  const double along = std::abs(hit.own.z - car.centre.z);
  const bool pillar = is_side ? along < 0.05 || along > 0.8 * car.half.z
                              : std::abs(hit.own.x) > car.half.x - 0.16 - 0.12 * from_bottom;
  if (pillar || from_bottom > 0.9) return car.colour;
  return mix(kGlass, {0.14, 0.17, 0.21}, from_bottom);
}

}  // namespace

Vec albedo(const World& world, const Hit& hit, const Vec& at, double footprint) {
  switch (hit.material) {
    case Material::kGround:
      return ground(world, at, footprint);
    case Material::kFacade:
      return facade(hit, footprint);
    case Material::kRoof:
      return roof(hit, footprint);
    case Material::kCarBody:
      return car_body(hit);
    case Material::kCarCabin:
      return car_cabin(hit);
    case Material::kTyre:
      return std::abs(hit.own_face.x) > 0.9 &&
                     std::hypot(hit.own.y - hit.thing->half.y, hit.own.z) < 0.19
                 ? Vec{0.25, 0.25, 0.26}
                 : Vec{0.018, 0.018, 0.018};
    case Material::kSign: {
      const double r = std::hypot(hit.own.x, hit.own.y - hit.thing->centre.y);
      return r < 0.2 ? Vec{0.6, 0.6, 0.6} : hit.thing->colour;
    }
    case Material::kTrunk:
      return hit.thing->colour * (1.0 + texture(at, 0.4, footprint, hit.thing->seed));
    case Material::kLeaves:
    case Material::kHedge:
      return hit.thing->colour * (1.0 + 1.5 * texture(at, 0.7, footprint, hit.thing->seed));
    case Material::kWall:
      return hit.thing->colour * (1.0 + 0.4 * texture(at, 0.5, footprint, hit.thing->seed));
    case Material::kPole:
      return hit.thing->colour;
    case Material::kSkyline:
      return Vec{0.06, 0.10, 0.05} * (1.0 + 1.2 * texture(at, 9.0, footprint, world.seed + 9));
  }
  return {};
}

Vec sky_colour(const World& world, const Vec& direction) {
  const Light& light = world.light;
  const double height = std::max(0.0, direction.y);
  Vec colour = mix(light.horizon, light.zenith, 1.0 - std::exp(-5.0 * height));
  const double reach = 1.0 / (height + 0.12);
  const Vec plane{direction.x * reach * 1.4, direction.z * reach * 1.4, 0.5};
  const double cloud = fractal_noise(plane, {.wavelength = 1.3, .octaves = 5}, world.seed + 8);
  const double cover = std::clamp(3.0 * (cloud + light.clouds - 0.55), 0.0, 0.85);
  return mix(colour, light.horizon + Vec{0.12, 0.11, 0.10}, cover);
}

Vec lit_colour(const World& world, const Vec& reflected, const Vec& normal, Sun sun) {
  const Light& light = world.light;
  const double direct = sun == Sun::kVisible ? std::max(0.0, dot(normal, light.to_sun)) : 0.0;
  const Vec ambient = light.sky * (0.72 + 0.28 * normal.y);
  return reflected * (ambient + light.sun * direct);
}

Vec behind_haze(const World& world, const Vec& colour, double distance) {
  return mix(world.light.horizon, colour, std::exp(-distance / world.light.haze_distance));
}

}  // namespace supn::road
