// How much memory a computation needs at its peak, whoever allocates it.
#pragma once

#include <functional>

namespace supn::bench {

// Resident bytes at the peak of `work` beyond those before it, from the kernel's own high-water
// mark (VmHWM after a reset through /proc/self/clear_refs). Memory that the allocator keeps is
// given back before. Throws c10::Error where the mark cannot be reset.
double peak_memory_growth(const std::function<void()>& work);

}  // namespace supn::bench
