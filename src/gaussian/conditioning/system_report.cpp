#include "gaussian/conditioning/system_report.hpp"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace supn {

double largest_relative(const at::Tensor& residual, const at::Tensor& squared_target) {
  const at::Tensor ratio = residual.mul(residual).sum({1}, true).div(squared_target);
  const double largest = ratio.masked_fill(squared_target.eq(0.0), 0.0).sqrt().max().item<double>();
  return std::isnan(largest) ? std::numeric_limits<double>::infinity() : largest;
}

void SystemReport::add(const at::Tensor& residual, const at::Tensor& right_side) {
  const at::Tensor squared_target = right_side.mul(right_side).sum({1}, true);
  relative_residual = std::max(relative_residual, largest_relative(residual, squared_target));
}

}  // namespace supn
