// Writes a structured Gaussian and what python/supn/read_gaussian.py must make of it:
//
//   read_gaussian_test FOLDER ORDER DTYPE    (see read_gaussian_test.py)
//
// ORDER: a radius, coarse_to_fine_12 or coarse_to_fine_3.
//
// gaussian.safetensors; answers.safetensors with d, log_prob, noise, sample.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "gaussian/gaussian_fixture.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/network/gaussian_file.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

Neighbourhood order_of(const std::string& name) {
  if (name == "coarse_to_fine_12") return Neighbourhood(CoarseToFine{});
  if (name == "coarse_to_fine_3") {
    return Neighbourhood(CoarseToFine{.classes = 3, .neighbours = 20, .levels = 2});
  }
  return Neighbourhood(std::atoi(name.c_str()));
}

}  // namespace
}  // namespace supn

int main(int count, char** arguments) {
  using namespace supn;
  if (count != 4) return 2;
  const std::filesystem::path folder = arguments[1];
  const std::string name = arguments[3];
  const at::ScalarType dtype =
      name == "F16" ? at::kHalf : (name == "F32" ? at::kFloat : at::kDouble);
  write_gaussian(
      folder / "gaussian.safetensors",
      {test::random_gaussian(order_of(arguments[2]), {2, 11, 14}), "metres", {{"frame", "9"}}},
      dtype);
  const StructuredGaussian g =
      read_gaussian(folder / "gaussian.safetensors").gaussian.to(at::kDouble);
  const at::Tensor d = test::random_tensor({2, 1, 11, 14}, 11);
  const at::Tensor noise = test::random_tensor({2, 1, 11, 14}, 12);
  write_safetensors(
      folder / "answers.safetensors",
      {{{"d", d}, {"log_prob", log_prob(g, d)}, {"noise", noise}, {"sample", colour(g, noise)}},
       {{"for", "read_gaussian.py"}}});
  return 0;
}
