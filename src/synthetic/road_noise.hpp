// Random numbers and textures of the road world are functions of seed and place only.
#pragma once

#include <array>
#include <cstdint>

#include "road_geometry.hpp"
#include "supn/gaussian/philox.hpp"

namespace supn::road {

// A stream of uniform numbers, Philox4x32-10 with key = seed.
class SceneRandom {
 public:
  explicit SceneRandom(std::uint64_t seed) : key_(Philox4x32::key_of(seed)) {}

  double uniform(double low, double high) { return low + (high - low) * unit(); }
  bool chance(double probability) { return unit() < probability; }
  std::uint32_t word();
  template <std::size_t kCount>
  const Vec& pick(const std::array<Vec, kCount>& choices) {
    return choices[word() % kCount];
  }

 private:
  double unit() { return static_cast<double>(word()) * 0x1p-32; }

  Philox4x32::Key key_;
  Philox4x32::Words words_{};
  std::uint64_t block_ = 0;
  std::size_t used_ = 4;
};

// Returns a number uniform in [0, 1) for each lattice point.
double lattice_noise(std::int64_t x, std::int64_t y, std::int64_t z, std::uint32_t seed);

// Smooth noise in [0, 1), mean ½, one wave per unit.
double value_noise(const Vec& p, std::uint32_t seed);

struct Fractal {
  double wavelength = 1.0;  // of the coarsest octave; each further one has half of it
  int octaves = 4;
  double footprint = 0.0;  // what a pixel covers: finer waves fade out
};

// Sum of octaves of value noise about 0, within (−1, 1).
double fractal_noise(const Vec& p, const Fractal& fractal, std::uint32_t seed);

}  // namespace supn::road
