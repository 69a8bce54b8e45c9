// Median and quantiles as NumPy defines them (linear interpolation between order statistics), which
// is what published depth evaluations use; torch.median takes the lower of the two middle values.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>

namespace supn {

// numpy.quantile of values in ascending order; q in [0, 1]. Throws c10::Error where there are none.
double quantile_of_sorted(std::span<const double> ascending, double q);

// Returns numpy.median over all elements. NaN if any element is. Throws c10::Error for an empty
// tensor.
double median(const at::Tensor& values);

}  // namespace supn
