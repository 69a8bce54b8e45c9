// How long a piece of work takes. Without LibTorch: peers in processes of their own use it too.
#pragma once

#include <functional>

namespace supn::bench {

// Seconds since some moment, on a clock that is never set back.
double now();

// Seconds of one run of `work`. Short work is run once untimed, to have its data where a caller in
// a loop has them, and then often enough to last some milliseconds.
std::function<double()> clocked(std::function<void()> work);

}  // namespace supn::bench
