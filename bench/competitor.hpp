// One way of computing something, with what a fair race needs to know of it.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace supn::bench {

struct Competitor {
  std::string name;
  std::string settings;  // what was chosen of what the library offers
  // What it computes; the same tensors in the same order from every competitor of a contest.
  std::function<std::vector<at::Tensor>()> answer;
  // Computes it again and returns the seconds of one computation.
  std::function<double()> seconds;
  // Samples (or other units of work) that one computation gives.
  double units = 1;
};

// The largest relative difference ‖a − b‖/‖b‖ over the tensors, in float64; +inf where either is
// not finite. Where one side has fewer samples (second dimension), the common ones are compared.
double disagreement(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b);

}  // namespace supn::bench
