// Rows of an image parted by the phase of their columns, and put together again.
#pragma once

#include <cstdint>
#include <span>

namespace supn::planes {

// These move every `phases`-th element (2 or 4) of `row` from element b on to parts[b], and back.
void deinterleave(const float* row, std::int64_t length, std::span<float* const> parts);
void deinterleave(const double* row, std::int64_t length, std::span<double* const> parts);
void interleave(std::span<const float* const> parts, std::int64_t length, float* row);
void interleave(std::span<const double* const> parts, std::int64_t length, double* row);

}  // namespace supn::planes
