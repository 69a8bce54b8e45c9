// A point of a laser scan can be told from other bytes.
#pragma once

namespace supn {

// point: x, y, z in metres, reflectance. False for coordinates beyond 500 m, a reflectance that is
// negative or above 65535, and numbers nearer to 0 than any scanner writes: what bytes of another
// kind look like. Coordinates that are not finite are another matter: no return.
bool is_plausible_point(const float* point);

}  // namespace supn
