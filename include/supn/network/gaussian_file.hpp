// One safetensors file holds a structured Gaussian, for programs in any language
// (python/supn/read_gaussian.py reads it with nothing but NumPy):
//
//   mean          [B,1,H,W]   μ
//   log_diagonal  [B,1,H,W]   φ
//   off_diagonal  [B,K,H,W]   ψ; which neighbour channel k couples is the order's
//
// and the metadata (strings) format = "supn structured gaussian", quantity = what the values are,
// e.g. "logit of disparity", beside any of the writer's own, and the order of the pixels:
//
//   raster          format_version = "1", radius = r; K = 2r(r+1), Neighbourhood(r).offsets()
//   coarse to fine  format_version = "2", order = "coarse_to_fine", classes, neighbours = K, levels:
//                   Neighbourhood::classes()
//
// dtype F16, F32 or F64, the same for all three. F16 halves the size, but rounds ψ and φ to three
// digits: harmless for rough factors, fatal for smooth ones (|ψ| in the hundreds), whose marginal
// variances hang on the difference of ψ and e^φ.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

inline constexpr const char* kLogitOfDisparity = "logit of disparity";

struct GaussianFile {
  StructuredGaussian gaussian;
  std::string quantity = kLogitOfDisparity;
  std::map<std::string, std::string> metadata;  // further entries, by names other than the above
};

// Atomic. Throws IoError if the file cannot be written or a finite value overflows the dtype;
// c10::Error if dtype is not float16, float32 or float64, or metadata uses a reserved name.
void write_gaussian(const std::filesystem::path& path,
                    const GaussianFile& file,
                    at::ScalarType dtype);

// Reads onto the CPU, float16 as float32. Throws IoError naming the tensor or entry that is
// missing, unknown, of another shape or dtype, or holds a value that is not finite.
GaussianFile read_gaussian(const std::filesystem::path& path);

}  // namespace supn
