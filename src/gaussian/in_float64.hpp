// The exact operations start from a Gaussian in float64 and checked pixels.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Returns it detached, in float64, contiguous; copies only what is not so already.
StructuredGaussian in_float64(const StructuredGaussian& gaussian);

// Does the same on the CPU, for algorithms that are loops over pixels.
StructuredGaussian in_float64_on_cpu(const StructuredGaussian& gaussian);

// Returns the raster indices of an int64 tensor [M]. Throws c10::Error naming `function` if it is
// another kind of tensor or an index is outside the image.
std::vector<std::int64_t> checked_pixels(const char* function,
                                         const at::Tensor& pixels,
                                         const ImageSize& size);

// Returns the same indices as a tensor [M].
at::Tensor pixel_tensor(const std::vector<std::int64_t>& pixels,
                        const at::Device& device = at::kCPU);

// Throws c10::Error naming `function` if there is more than one image.
void check_one_image(const char* function, const StructuredGaussian& gaussian);

}  // namespace supn
