#include "road_noise.hpp"

#include <algorithm>
#include <cmath>

namespace supn::road {
namespace {

double smooth(double t) { return t * t * (3.0 - 2.0 * t); }
double between(double a, double b, double t) { return a + (b - a) * t; }

}  // namespace

std::uint32_t SceneRandom::word() {
  if (used_ == words_.size()) {
    words_ = Philox4x32::random_words(Philox4x32::counter_of(block_++, 0), key_);
    used_ = 0;
  }
  return words_[used_++];
}

double lattice_noise(std::int64_t x, std::int64_t y, std::int64_t z, std::uint32_t seed) {
  // The finalizer of splitmix64 on a mixed index.
  std::uint64_t h = static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15ULL ^
                    static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4FULL ^
                    static_cast<std::uint64_t>(z) * 0x165667B19E3779F9ULL ^
                    (std::uint64_t{seed} << 32 | seed);
  h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9ULL;
  h = (h ^ h >> 27) * 0x94D049BB133111EBULL;
  h ^= h >> 31;
  return static_cast<double>(h >> 11) * 0x1p-53;
}

double value_noise(const Vec& p, std::uint32_t seed) {
  const double fx = std::floor(p.x);
  const double fy = std::floor(p.y);
  const double fz = std::floor(p.z);
  const auto x = static_cast<std::int64_t>(fx);
  const auto y = static_cast<std::int64_t>(fy);
  const auto z = static_cast<std::int64_t>(fz);
  const double tx = smooth(p.x - fx);
  const double ty = smooth(p.y - fy);
  const double tz = smooth(p.z - fz);
  const auto line = [&](std::int64_t dy, std::int64_t dz) {
    return between(
        lattice_noise(x, y + dy, z + dz, seed), lattice_noise(x + 1, y + dy, z + dz, seed), tx);
  };
  return between(between(line(0, 0), line(1, 0), ty), between(line(0, 1), line(1, 1), ty), tz);
}

double fractal_noise(const Vec& p, const Fractal& fractal, std::uint32_t seed) {
  double sum = 0.0;
  double amplitude = 1.0;
  double wavelength = fractal.wavelength;
  for (int octave = 0; octave < fractal.octaves; ++octave) {
    const double visible =
        fractal.footprint > 0.0 ? std::clamp(wavelength / fractal.footprint - 1.0, 0.0, 1.0) : 1.0;
    if (visible == 0.0) break;
    const std::uint32_t octave_seed = seed + 0x9E3779B9U * static_cast<std::uint32_t>(octave + 1);
    sum += visible * amplitude * (value_noise(p * (1.0 / wavelength), octave_seed) - 0.5);
    amplitude *= 0.6;
    wavelength *= 0.5;
  }
  return sum;
}

}  // namespace supn::road
