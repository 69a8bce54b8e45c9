#include "road_world.hpp"

#include <array>

namespace supn::road {
namespace {

constexpr double kNearest = -8.0;
constexpr double kFarthest = 135.0;
// No crown may hang over the camera.
constexpr double kNearestTree = 6.0;

RoadCourse make_course(SceneRandom& random) {
  RoadCourse course;
  course.half_width = random.uniform(3.3, 4.6);
  course.centre = -0.5 * course.half_width + random.uniform(-0.3, 0.3);
  course.heading = random.uniform(-0.03, 0.03);
  course.curvature = random.chance(0.45) ? random.uniform(-0.003, 0.003) : 0.0;
  course.pavement = random.chance(0.7) ? random.uniform(1.5, 3.0) : 0.0;
  course.asphalt = Vec{0.115, 0.115, 0.12} * random.uniform(0.8, 1.5);
  course.verge = mix({0.07, 0.115, 0.03}, {0.14, 0.14, 0.06}, random.uniform(0.0, 1.0));
  course.has_edge_lines = random.chance(0.5);
  return course;
}

Light make_light(SceneRandom& random) {
  constexpr double kTurn = 6.283185307179586;
  Light light;
  const double elevation = random.uniform(0.45, 1.1);
  const double azimuth = random.uniform(0.0, kTurn);
  light.to_sun = {std::cos(elevation) * std::sin(azimuth),
                  std::sin(elevation),
                  std::cos(elevation) * std::cos(azimuth)};
  const bool overcast = random.chance(0.25);
  light.sun = overcast ? Vec{} : Vec{1.55, 1.42, 1.22} * random.uniform(0.8, 1.1);
  light.sky =
      (overcast ? Vec{0.95, 0.98, 1.02} : Vec{0.42, 0.50, 0.64}) * random.uniform(0.85, 1.1);
  light.zenith = overcast ? Vec{0.58, 0.62, 0.68} : Vec{0.16, 0.32, 0.66};
  light.horizon = overcast ? Vec{0.74, 0.76, 0.79} : Vec{0.66, 0.75, 0.86};
  light.haze_distance = random.uniform(170.0, 320.0);
  light.clouds = overcast ? 1.0 : random.uniform(0.0, 0.7);
  return light;
}

// side −1 is the left of the road, +1 the right; `beyond` counts from the road's edge.
Place beside(const RoadCourse& course, double z, double side, double beyond) {
  return {course.centre_at(z) + side * (course.half_width + beyond), z, course.yaw_at(z)};
}

void line_with_houses(World& world, SceneRandom& random, double side) {
  const RoadCourse& course = world.course;
  const double density = random.uniform(0.35, 0.95);
  const double setback = course.pavement + random.uniform(0.5, 6.0);
  double z = kNearest + random.uniform(0.0, 8.0);
  while (z < kFarthest) {
    HouseSize size;
    size.width = random.uniform(8.0, 17.0);
    size.depth = random.uniform(7.0, 12.0);
    size.wall = random.uniform(3.2, 9.5);
    size.roof = random.chance(0.75) ? random.uniform(2.0, 4.2) : 0.0;
    const double middle = z + 0.5 * size.width;
    if (random.chance(density)) {
      const double front = setback + random.uniform(0.0, 1.5);
      add_house(world, random, beside(course, middle, side, front + 0.5 * size.depth + 0.3), size);
      if (front > course.pavement + 2.0 && random.chance(0.6)) {
        add_hedge(
            world, random, beside(course, middle, side, course.pavement + 0.7), size.width - 2.0);
      }
    } else {
      const int trees = 1 + static_cast<int>(random.word() % 4U);
      for (int i = 0; i < trees; ++i) {
        const double at = z + random.uniform(0.0, size.width);
        const double beyond = setback + random.uniform(0.5, 9.0);
        if (at > kNearestTree) add_tree(world, random, beside(course, at, side, beyond));
      }
    }
    z += size.width + random.uniform(0.3, 5.0);
  }
}

void line_with_furniture(World& world, SceneRandom& random, double side) {
  const RoadCourse& course = world.course;
  const double lamp_distance = random.uniform(18.0, 35.0);
  const double beyond = 0.5 + 0.25 * course.pavement;
  if (random.chance(0.8)) {
    for (double z = random.uniform(4.0, 20.0); z < 110.0; z += lamp_distance) {
      add_street_lamp(world, random, beside(course, z, side, beyond));
    }
  }
  if (random.chance(0.5)) {
    for (double z = random.uniform(6.0, 14.0); z < 100.0; z += random.uniform(7.0, 16.0)) {
      if (random.chance(0.7)) {
        add_tree(
            world, random, beside(course, z, side, course.pavement + random.uniform(0.3, 1.2)));
      }
    }
  }
  for (double z = random.uniform(6.0, 30.0); z < 80.0; z += random.uniform(15.0, 40.0)) {
    add_sign(world, random, beside(course, z, side, 0.45));
  }
}

void add_parked_cars(World& world, SceneRandom& random, double side) {
  const double share = random.chance(0.6) ? random.uniform(0.2, 0.85) : 0.0;
  for (double z = random.uniform(6.5, 10.0); z < 90.0; z += random.uniform(5.2, 6.8)) {
    if (!random.chance(share)) continue;
    Place place = beside(world.course, z, side, world.course.pavement > 0.0 ? 0.35 : 1.1);
    place.yaw += (side < 0.0 ? 3.141592653589793 : 0.0) + random.uniform(-0.03, 0.03);
    add_car(world, random, place);
  }
}

void add_traffic(World& world, SceneRandom& random) {
  const RoadCourse& course = world.course;
  const double lane = 0.45 * course.half_width;
  if (random.chance(0.6)) {
    const double z = random.uniform(9.0, 45.0);
    add_car(world, random, {course.centre_at(z) + lane, z, course.yaw_at(z)});
  }
  for (double z = random.uniform(8.0, 50.0); z < 100.0; z += random.uniform(18.0, 60.0)) {
    add_car(world, random, {course.centre_at(z) - lane, z, course.yaw_at(z) + 3.141592653589793});
  }
}

}  // namespace

World make_world(std::uint64_t seed) {
  SceneRandom random(seed);
  World world;
  world.seed = random.word();
  world.course = make_course(random);
  world.light = make_light(random);
  world.pitch = random.uniform(-0.012, 0.022);
  world.yaw = random.uniform(-0.02, 0.02);
  for (const double side : {-1.0, 1.0}) {
    line_with_houses(world, random, side);
    line_with_furniture(world, random, side);
    add_parked_cars(world, random, side);
  }
  add_traffic(world, random);
  for (Thing& thing : world.things) finish(thing);
  return world;
}

}  // namespace supn::road
