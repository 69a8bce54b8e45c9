// Writes a structured Gaussian and what scripts/read_gaussian.py must make of it:
//
//   read_gaussian_test FOLDER RADIUS DTYPE    (see read_gaussian_test.py)
//
// gaussian.safetensors; answers.safetensors with d, log_prob, noise, sample.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "gaussian/gaussian_fixture.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/network/gaussian_file.hpp"
#include "supn/serialization/safetensors.hpp"

int main(int count, char** arguments) {
  using namespace supn;
  if (count != 4) return 2;
  const std::filesystem::path folder = arguments[1];
  const std::string name = arguments[3];
  const at::ScalarType dtype =
      name == "F16" ? at::kHalf : (name == "F32" ? at::kFloat : at::kDouble);
  write_gaussian(folder / "gaussian.safetensors",
                 {test::random_gaussian(std::atoi(arguments[2])), "metres", {{"frame", "9"}}},
                 dtype);
  const StructuredGaussian g =
      read_gaussian(folder / "gaussian.safetensors").gaussian.to(at::kDouble);
  const at::Tensor d = test::random_tensor({2, 1, 6, 8}, 11);
  const at::Tensor noise = test::random_tensor({2, 1, 6, 8}, 12);
  write_safetensors(
      folder / "answers.safetensors",
      {{{"d", d}, {"log_prob", log_prob(g, d)}, {"noise", noise}, {"sample", colour(g, noise)}},
       {{"for", "read_gaussian.py"}}});
  return 0;
}
