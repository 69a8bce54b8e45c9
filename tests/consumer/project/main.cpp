// Writes a structured Gaussian's mean, reads it back, and asks for its density there.
#include <ATen/ops/zeros.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>

#include "supn/gaussian/likelihood.hpp"
#include "supn/serialization/npy.hpp"

int main() {
  const supn::Neighbourhood neighbourhood(1);
  const at::Tensor map = at::zeros({1, 1, 4, 5}, at::kDouble);
  const at::Tensor off_diagonal = at::zeros({1, neighbourhood.size(), 4, 5}, at::kDouble);
  const supn::StructuredGaussian gaussian(map, map, off_diagonal, neighbourhood);

  const auto file = std::filesystem::temp_directory_path() / "supn_consumer.npy";
  supn::write_npy(file, gaussian.mean());
  const double density = supn::log_prob(gaussian, supn::read_npy(file)).item<double>();
  std::filesystem::remove(file);

  const double expected = -0.5 * 20 * std::log(2.0 * std::numbers::pi);
  std::printf("log density %.12f, expected %.12f\n", density, expected);
  return std::abs(density - expected) < 1e-12 ? 0 : 1;
}
