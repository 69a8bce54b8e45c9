// A world says what stands where in one scene, and in which light.
#pragma once

#include <cstdint>
#include <vector>

#include "road_geometry.hpp"
#include "road_noise.hpp"

namespace supn::road {

// Beyond this distance there is a skyline of hills and trees, then sky.
inline constexpr double kSkylineDistance = 140.0;

// The road's centre line is x = centre + heading·z + ½·curvature·z².
struct RoadCourse {
  double half_width = 3.8;
  double centre = -1.9;
  double heading = 0.0;
  double curvature = 0.0;
  double pavement = 2.0;  // width beside the road, 0 = none
  Vec asphalt;
  Vec verge;
  bool has_edge_lines = true;

  double centre_at(double z) const { return centre + heading * z + 0.5 * curvature * z * z; }
  double yaw_at(double z) const { return std::atan(heading + curvature * z); }
};

struct Light {
  Vec to_sun;  // unit length
  Vec sun;     // colour times strength, 0 under an overcast sky
  Vec sky;     // ambient
  Vec zenith;
  Vec horizon;
  double haze_distance = 250.0;
  double clouds = 0.5;  // 0 … 1
};

struct World {
  RoadCourse course;
  Light light;
  double pitch = 0.0;  // of the camera, radians, positive looks down
  double yaw = 0.0;
  std::uint32_t seed = 0;
  std::vector<Thing> things;
};

World make_world(std::uint64_t seed);

// One of the things that a world is made of, at a place on the ground and turned by yaw.
struct Place {
  double x = 0.0;
  double z = 0.0;
  double yaw = 0.0;
};
struct HouseSize {
  double width = 10.0;  // along the road
  double depth = 9.0;
  double wall = 6.0;  // height
  double roof = 3.0;  // height above the wall, 0 = flat
};
void add_house(World& world, SceneRandom& random, const Place& place, const HouseSize& size);
void add_car(World& world, SceneRandom& random, const Place& place);
void add_tree(World& world, SceneRandom& random, const Place& place);
void add_street_lamp(World& world, SceneRandom& random, const Place& place);
void add_sign(World& world, SceneRandom& random, const Place& place);
// Adds a hedge or a garden wall, `length` along the road.
void add_hedge(World& world, SceneRandom& random, const Place& place, double length);

}  // namespace supn::road
