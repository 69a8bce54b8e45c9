// Colours of the road world: what a surface reflects, the sky, light and haze. Linear RGB.
#pragma once

#include "road_world.hpp"

namespace supn::road {

// Share of light that the surface reflects at a hit, world point `at`; details below `footprint`
// metres are left out.
Vec albedo(const World& world, const Hit& hit, const Vec& at, double footprint);

// Returns the sky's colour in a unit direction above the horizon.
Vec sky_colour(const World& world, const Vec& direction);

enum class Sun { kVisible, kHidden };

// These give the albedo in the scene's light, and a colour with the haze of a distance in front.
Vec lit_colour(const World& world, const Vec& reflected, const Vec& normal, Sun sun);
Vec behind_haze(const World& world, const Vec& colour, double distance);

}  // namespace supn::road
