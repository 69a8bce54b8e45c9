// Vectors, rays and the solids of the road world (synthetic.hpp): convex polyhedra, upright
// cylinders, ellipsoids. World axes: x right, y up (ground at 0), z forward; metres.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace supn::road {

struct Vec {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
};

constexpr Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec operator*(const Vec& a, double s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr Vec operator*(const Vec& a, const Vec& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
constexpr double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double length(const Vec& a) { return std::sqrt(dot(a, a)); }
inline Vec normalized(const Vec& a) { return a * (1.0 / length(a)); }
constexpr Vec mix(const Vec& a, const Vec& b, double t) { return a * (1.0 - t) + b * t; }

struct Ray {
  Vec origin;
  Vec direction;  // not normalized: t counts multiples of it
};

enum class Material {
  kGround,
  kFacade,
  kRoof,
  kCarBody,
  kCarCabin,
  kTyre,
  kPole,
  kSign,
  kTrunk,
  kLeaves,
  kWall,
  kHedge,
  kSkyline
};

enum class Shape { kPolyhedron, kCylinder, kEllipsoid };

// The half-space normal · p ≤ offset, in the thing's own frame.
struct Face {
  Vec normal;
  double offset = 0.0;
  Material material = Material::kFacade;
};

// Its own frame has its origin on the ground and is turned about the vertical by yaw.
struct Thing {
  Shape shape = Shape::kPolyhedron;
  Vec origin;
  double cos_yaw = 1.0;
  double sin_yaw = 0.0;
  Vec centre;  // of cylinder, ellipsoid and bounding box, own frame
  Vec half;    // half extents; of a cylinder (radius, half height, radius)
  std::vector<Face> faces;
  Material material = Material::kFacade;  // of cylinders and ellipsoids
  Vec colour;                             // linear RGB
  std::uint32_t seed = 0;

  Vec to_world(const Vec& v) const {
    return {v.x * cos_yaw + v.z * sin_yaw, v.y, v.z * cos_yaw - v.x * sin_yaw};
  }
  Vec to_own(const Vec& v) const {
    return {v.x * cos_yaw - v.z * sin_yaw, v.y, v.x * sin_yaw + v.z * cos_yaw};
  }
  // These describe the bounding sphere in the world's frame.
  Vec bounds_centre;
  double bounds_radius = 0.0;
};

struct Hit {
  double t = 0.0;
  Vec normal;    // world, unit length
  Vec own;       // the point in the thing's own frame
  Vec own_face;  // the normal in that frame
  Material material = Material::kGround;
  const Thing* thing = nullptr;
};

// Sets the bounding sphere; a thing must not change afterwards.
void finish(Thing& thing);

// Returns the nearest hit with t in (0, t_max). Crowns of leaves have holes near their outline.
std::optional<Hit> intersect(const Thing& thing, const Ray& ray, double t_max);

// Adds a box around (0, y, 0) in the own frame, from bottom to top; all faces of one material.
void add_box_faces(Thing& thing, const Vec& half, double bottom, Material material);

}  // namespace supn::road
