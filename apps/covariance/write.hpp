// What supn_covariance computes, its files and picture.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "covariance/functionals.hpp"
#include "covariance/options.hpp"
#include "inference/inputs.hpp"
#include "inference/output_place.hpp"
#include "supn/evaluation/correlation_length.hpp"

namespace supn {

struct CovarianceMaps {
  std::string quantity;              // of the Gaussian's values
  ImageSize size;                    // of the maps
  std::vector<std::int64_t> pixels;  // raster indices, one for each --pixel
  at::Tensor covariance;             // float64 [M,H,W]; undefined without pixels, so the next
  at::Tensor correlation;            // [M,H,W]
  double relative_residual = 0.0;    // largest ‖Λ·column − e‖ over the columns
  at::Tensor marginal_std;           // exact [H,W]; undefined unless asked for or needed
  at::Tensor sample_std;             // of kStdSamples samples [H,W]; undefined unless asked for
  std::optional<CorrelationLengths> lengths;
  Functionals functionals;
};

inline constexpr std::int64_t kStdSamples = 10;

// All that <out>/<name>/ may hold.
inline constexpr std::array<std::string_view, 8> kCovarianceFiles{"covariance.npy",
                                                                  "correlation.npy",
                                                                  "marginal_std.npy",
                                                                  "sample_std.npy",
                                                                  "correlation_length_rows.npy",
                                                                  "correlation_length_columns.npy",
                                                                  "functionals.npy",
                                                                  "info.json"};

// <out>/<name>/ with covariance.npy, correlation.npy, marginal_std.npy, sample_std.npy,
// correlation_length_{rows,columns}.npy, functionals.npy (their covariance), whichever was asked
// for, and info.json: all of it or nothing. Then <out>/<name>.png. rgb: uint8 [H,W,3] of any size,
// or undefined. Throws IoError.
void write_covariance(const CovarianceMaps& maps,
                      const InputImage& image,
                      const at::Tensor& rgb,
                      const CovarianceArguments& arguments);

}  // namespace supn
