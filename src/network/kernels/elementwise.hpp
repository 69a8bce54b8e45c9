// Loops over plain arrays for what the network does value by value.
#pragma once

#include <cstdint>

namespace supn::elementwise {

// x ← x > 0 ? x : eˣ − 1; NaN stays NaN.
void elu(float* x, std::int64_t count);

}  // namespace supn::elementwise
