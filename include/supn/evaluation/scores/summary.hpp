// Mean and standard deviation over images.
#pragma once

#include <cstdint>
#include <span>

namespace supn {

struct Summary {
  double mean = 0.0;
  double std = 0.0;  // population (divides by count), as published tables give it
  std::int64_t count = 0;
};

// Returns NaN for no values.
Summary summarise(std::span<const double> values);

}  // namespace supn
