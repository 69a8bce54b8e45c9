#include "road_geometry.hpp"

#include <algorithm>

#include "road_noise.hpp"

namespace supn::road {
namespace {

bool misses_bounds(const Thing& thing, const Ray& ray) {
  const Vec to_centre = thing.bounds_centre - ray.origin;
  const double along = dot(to_centre, ray.direction);
  const double length2 = dot(ray.direction, ray.direction);
  const double distance2 = dot(to_centre, to_centre) - thing.bounds_radius * thing.bounds_radius;
  if (distance2 <= 0.0) return false;  // starts inside
  return along <= 0.0 || along * along < distance2 * length2;
}

std::optional<Hit> hit_at(const Thing& thing, const Ray& own, double t, const Vec& own_normal) {
  Hit hit;
  hit.t = t;
  hit.own = own.origin + own.direction * t;
  hit.own_face = own_normal;
  hit.normal = thing.to_world(own_normal);
  hit.material = thing.material;
  hit.thing = &thing;
  return hit;
}

std::optional<Hit> intersect_polyhedron(const Thing& thing, const Ray& own, double t_max) {
  double enter = 0.0;
  double leave = t_max;
  const Face* entered = nullptr;
  for (const Face& face : thing.faces) {
    const double speed = dot(face.normal, own.direction);
    const double distance = face.offset - dot(face.normal, own.origin);
    if (speed == 0.0) {
      if (distance < 0.0) return {};
      continue;
    }
    const double t = distance / speed;
    if (speed < 0.0 && t > enter) {
      enter = t;
      entered = &face;
    } else if (speed > 0.0) {
      leave = std::min(leave, t);
    }
    if (enter >= leave) return {};
  }
  if (entered == nullptr) return {};
  std::optional<Hit> hit = hit_at(thing, own, enter, entered->normal);
  hit->material = entered->material;
  return hit;
}

std::optional<Hit> intersect_cylinder(const Thing& thing, const Ray& own, double t_max) {
  const Vec o = own.origin - thing.centre;
  const Vec& d = own.direction;
  const double a = d.x * d.x + d.z * d.z;
  const double b = o.x * d.x + o.z * d.z;
  const double c = o.x * o.x + o.z * o.z - thing.half.x * thing.half.x;
  const double root = b * b - a * c;
  if (root <= 0.0 || a == 0.0) return {};
  const double t = (-b - std::sqrt(root)) / a;
  const Vec p = o + d * t;
  if (t <= 0.0 || t >= t_max || std::abs(p.y) > thing.half.y) return {};
  return hit_at(thing, own, t, normalized({p.x, 0.0, p.z}));
}

std::optional<Hit> intersect_ellipsoid(const Thing& thing, const Ray& own, double t_max) {
  const Vec inverse{1.0 / thing.half.x, 1.0 / thing.half.y, 1.0 / thing.half.z};
  const Vec o = (own.origin - thing.centre) * inverse;
  const Vec d = own.direction * inverse;
  const double a = dot(d, d);
  const double b = dot(o, d);
  const double c = dot(o, o) - 1.0;
  const double root = b * b - a * c;
  if (root <= 0.0) return {};
  const double t = (-b - std::sqrt(root)) / a;
  if (t <= 0.0 || t >= t_max) return {};
  const Vec q = o + d * t;
  if (thing.material == Material::kLeaves) {
    const double facing = std::abs(dot(q, d)) / std::sqrt(a);
    if (value_noise(q * 3.5, thing.seed) > 0.3 + 1.2 * facing) return {};
  }
  return hit_at(thing, own, t, normalized(q * inverse));
}

}  // namespace

void finish(Thing& thing) {
  thing.bounds_centre = thing.origin + thing.to_world(thing.centre);
  thing.bounds_radius = length(thing.half);
}

std::optional<Hit> intersect(const Thing& thing, const Ray& ray, double t_max) {
  if (misses_bounds(thing, ray)) return {};
  const Ray own{thing.to_own(ray.origin - thing.origin), thing.to_own(ray.direction)};
  switch (thing.shape) {
    case Shape::kPolyhedron:
      return intersect_polyhedron(thing, own, t_max);
    case Shape::kCylinder:
      return intersect_cylinder(thing, own, t_max);
    case Shape::kEllipsoid:
      return intersect_ellipsoid(thing, own, t_max);
  }
  return {};
}

void add_box_faces(Thing& thing, const Vec& half, double bottom, Material material) {
  thing.centre = {0.0, bottom + half.y, 0.0};
  thing.half = half;
  thing.faces.push_back({{1, 0, 0}, half.x, material});
  thing.faces.push_back({{-1, 0, 0}, half.x, material});
  thing.faces.push_back({{0, 0, 1}, half.z, material});
  thing.faces.push_back({{0, 0, -1}, half.z, material});
  thing.faces.push_back({{0, 1, 0}, bottom + 2.0 * half.y, material});
  thing.faces.push_back({{0, -1, 0}, -bottom, material});
}

}  // namespace supn::road
