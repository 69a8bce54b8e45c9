// Are intervals of a Gaussian as wide as they should be? The share of measured values inside the
// central interval of probability p, mean ± z_p·std with erf(z_p/√2) = p: p if the Gaussian is
// right, less if it is too sure.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

// Returns z_p of a standard normal: 0.6745 for 0.5, 1.6449 for 0.9. Throws c10::Error unless
// 0 < p < 1.
double central_interval(double probability);

// deviations: (value − mean)/std, any shape. NaN where there are none.
double coverage(const at::Tensor& deviations, double probability);

}  // namespace supn
