#include <algorithm>
#include <array>

#include "road_world.hpp"

namespace supn::road {
namespace {

constexpr std::array<Vec, 8> kPlaster{{{0.62, 0.54, 0.40},
                                       {0.70, 0.66, 0.58},
                                       {0.50, 0.30, 0.20},
                                       {0.66, 0.50, 0.28},
                                       {0.45, 0.43, 0.40},
                                       {0.58, 0.36, 0.27},
                                       {0.72, 0.70, 0.68},
                                       {0.42, 0.46, 0.40}}};
constexpr std::array<Vec, 4> kTiles{
    {{0.26, 0.10, 0.06}, {0.15, 0.08, 0.06}, {0.10, 0.10, 0.11}, {0.30, 0.14, 0.08}}};
constexpr std::array<Vec, 9> kPaints{{{0.45, 0.46, 0.48},
                                      {0.03, 0.03, 0.035},
                                      {0.65, 0.65, 0.66},
                                      {0.40, 0.02, 0.02},
                                      {0.03, 0.06, 0.25},
                                      {0.14, 0.15, 0.17},
                                      {0.25, 0.26, 0.28},
                                      {0.02, 0.13, 0.09},
                                      {0.55, 0.42, 0.06}}};
constexpr std::array<Vec, 4> kLeafGreens{
    {{0.06, 0.12, 0.025}, {0.09, 0.14, 0.03}, {0.05, 0.10, 0.035}, {0.13, 0.15, 0.03}}};

Thing thing_at(SceneRandom& random, const Place& place) {
  Thing thing;
  thing.origin = {place.x, 0.0, place.z};
  thing.cos_yaw = std::cos(place.yaw);
  thing.sin_yaw = std::sin(place.yaw);
  thing.seed = random.word();
  return thing;
}

void add_cylinder(World& world, const Thing& base, const Vec& centre, const Vec& half) {
  Thing cylinder = base;
  cylinder.shape = Shape::kCylinder;
  cylinder.centre = centre;
  cylinder.half = half;
  world.things.push_back(cylinder);
}

// Adds a prism with eight sides, axis along x, standing on the ground.
void add_wheel(World& world, const Thing& car, const Vec& centre, double radius) {
  Thing wheel = car;
  wheel.faces.clear();
  wheel.origin = car.origin + car.to_world({centre.x, 0.0, centre.z});
  wheel.centre = {0.0, radius, 0.0};
  wheel.half = {0.11, radius, radius};
  wheel.faces.push_back({{1, 0, 0}, 0.11, Material::kTyre});
  wheel.faces.push_back({{-1, 0, 0}, 0.11, Material::kTyre});
  constexpr double kEighth = 0.78539816339744831;
  for (int i = 0; i < 8; ++i) {
    const Vec normal{0.0, std::cos(i * kEighth), std::sin(i * kEighth)};
    wheel.faces.push_back({normal, radius * (1.0 + normal.y), Material::kTyre});
  }
  world.things.push_back(wheel);
}

// Returns the glass house on the body: all four sides lean inwards.
Thing car_cabin(const Thing& car, const Vec& half, double bottom) {
  Thing cabin = car;
  cabin.faces.clear();
  const double top = bottom + 2.0 * half.y;
  cabin.centre = {0.0, bottom + half.y, -0.25};
  cabin.half = half;
  const auto leaning = [&](const Vec& outwards, double reach, double lean) {
    const Vec normal = normalized(outwards + Vec{0.0, lean, 0.0});
    const Vec foot = outwards * reach + Vec{0.0, bottom, outwards.z == 0.0 ? 0.0 : -0.25};
    cabin.faces.push_back({normal, dot(normal, foot), Material::kCarCabin});
  };
  leaning({1, 0, 0}, half.x, 0.25);
  leaning({-1, 0, 0}, half.x, 0.25);
  leaning({0, 0, 1}, half.z, 1.0);
  leaning({0, 0, -1}, half.z, 0.55);
  cabin.faces.push_back({{0, 1, 0}, top, Material::kCarBody});
  cabin.faces.push_back({{0, -1, 0}, -bottom, Material::kCarBody});
  return cabin;
}

}  // namespace

void add_house(World& world, SceneRandom& random, const Place& place, const HouseSize& size) {
  Thing house = thing_at(random, place);
  house.colour = random.pick(kPlaster) * random.uniform(0.75, 1.1);
  const Vec half{0.5 * size.depth, 0.5 * size.wall, 0.5 * size.width};
  add_box_faces(house, half, 0.0, Material::kFacade);
  house.faces[4].material = Material::kRoof;
  Thing roof = house;
  world.things.push_back(house);
  if (size.roof <= 0.0) return;
  roof.colour = random.pick(kTiles);
  const bool ridge_along_road = random.chance(0.6);
  const double run = (ridge_along_road ? half.x : half.z) + 0.4;
  const Vec slope = normalized({size.roof, run, 0.0});
  const double offset = slope.y * (size.wall + size.roof);
  roof.faces.clear();
  for (const double side : {1.0, -1.0}) {
    const Vec across{side * slope.x, slope.y, 0.0};
    const Vec along{0.0, slope.y, side * slope.x};
    roof.faces.push_back({ridge_along_road ? across : along, offset, Material::kRoof});
    const Vec gable = ridge_along_road ? Vec{0, 0, side} : Vec{side, 0, 0};
    roof.faces.push_back({gable, ridge_along_road ? half.z : half.x, Material::kFacade});
  }
  roof.faces.push_back({{0, -1, 0}, -size.wall, Material::kRoof});
  roof.centre = {0.0, size.wall + 0.5 * size.roof, 0.0};
  roof.half = {half.x + 0.4, 0.5 * size.roof, half.z + 0.4};
  roof.material = Material::kRoof;
  world.things.push_back(roof);
}

void add_car(World& world, SceneRandom& random, const Place& place) {
  Thing car = thing_at(random, place);
  car.colour = random.pick(kPaints);
  const double half_length = random.uniform(1.9, 2.3);
  const double half_width = random.uniform(0.82, 0.92);
  const double body_top = random.uniform(0.86, 0.98);
  const double roof = random.uniform(1.42, 1.62);
  Thing body = car;
  const double bottom = 0.22;
  add_box_faces(
      body, {half_width, 0.5 * (body_top - bottom), half_length}, bottom, Material::kCarBody);
  // The bonnet and the tail slope a little.
  for (const double end : {1.0, -1.0}) {
    const Vec normal = normalized({0.0, 1.0, 0.22 * end});
    const Vec point{0.0, body_top, end * 0.55 * half_length};
    body.faces.push_back({normal, dot(normal, point), Material::kCarBody});
  }
  world.things.push_back(body);
  world.things.push_back(
      car_cabin(car,
                {half_width - 0.03, 0.5 * (roof - body_top) + 0.02, 0.68 * half_length},
                body_top - 0.04));
  for (const double x : {-1.0, 1.0}) {
    for (const double z : {-0.62, 0.62}) {
      add_wheel(world, car, {x * (half_width - 0.1), 0.0, z * half_length}, 0.31);
    }
  }
}

void add_tree(World& world, SceneRandom& random, const Place& place) {
  Thing tree = thing_at(random, place);
  const double height = random.uniform(5.0, 11.0);
  const double crown = height * random.uniform(0.22, 0.34);
  tree.material = Material::kTrunk;
  tree.colour = Vec{0.10, 0.075, 0.05} * random.uniform(0.7, 1.2);
  add_cylinder(world, tree, {0.0, 0.3 * height, 0.0}, {0.02 * height, 0.3 * height, 0.02 * height});
  const Vec green = random.pick(kLeafGreens) * random.uniform(0.8, 1.25);
  const int lumps = 3 + static_cast<int>(random.word() % 4U);
  for (int i = 0; i < lumps; ++i) {
    Thing lump = tree;
    lump.shape = Shape::kEllipsoid;
    lump.material = Material::kLeaves;
    lump.colour = green * random.uniform(0.9, 1.1);
    lump.seed = random.word();
    const double radius = crown * random.uniform(0.55, 0.95);
    lump.centre = {random.uniform(-0.55, 0.55) * crown,
                   height - crown * random.uniform(0.7, 1.7),
                   random.uniform(-0.55, 0.55) * crown};
    lump.half = {radius, radius * random.uniform(0.8, 1.05), radius};
    world.things.push_back(lump);
  }
}

void add_street_lamp(World& world, SceneRandom& random, const Place& place) {
  Thing lamp = thing_at(random, place);
  const double height = random.uniform(5.0, 7.5);
  lamp.material = Material::kPole;
  lamp.colour = {0.30, 0.31, 0.31};
  add_cylinder(world, lamp, {0.0, 0.5 * height, 0.0}, {0.09, 0.5 * height, 0.09});
  Thing arm = lamp;
  add_box_faces(arm, {0.9, 0.06, 0.10}, height - 0.12, Material::kPole);
  arm.origin = arm.origin + arm.to_world({place.x > 0.0 ? -0.8 : 0.8, 0.0, 0.0});
  world.things.push_back(arm);
}

void add_sign(World& world, SceneRandom& random, const Place& place) {
  Thing sign = thing_at(random, place);
  sign.material = Material::kPole;
  sign.colour = {0.35, 0.36, 0.36};
  add_cylinder(world, sign, {0.0, 1.3, 0.0}, {0.045, 1.3, 0.045});
  Thing plate = sign;
  plate.colour = random.chance(0.5) ? Vec{0.02, 0.08, 0.45} : Vec{0.55, 0.02, 0.02};
  add_box_faces(plate, {0.33, 0.33, 0.02}, 1.95, Material::kSign);
  plate.origin = plate.origin + plate.to_world({0.0, 0.0, -0.07});
  world.things.push_back(plate);
}

void add_hedge(World& world, SceneRandom& random, const Place& place, double length) {
  Thing hedge = thing_at(random, place);
  const bool is_wall = random.chance(0.35);
  hedge.colour = is_wall ? random.pick(kPlaster) * 0.7 : random.pick(kLeafGreens);
  const double height = random.uniform(0.8, is_wall ? 1.5 : 2.2);
  add_box_faces(hedge,
                {is_wall ? 0.15 : 0.5, 0.5 * height, 0.5 * length},
                0.0,
                is_wall ? Material::kWall : Material::kHedge);
  world.things.push_back(hedge);
}

}  // namespace supn::road
