// supn_covariance computes these maps and writes them as files and a picture.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "covariance/functionals.hpp"
#include "covariance/options.hpp"
#include "inference/gaussian_source.hpp"
#include "inference/inputs.hpp"
#include "inference/output_place.hpp"
#include "supn/evaluation/depth/depth_quantiles.hpp"
#include "supn/evaluation/scores/correlation_length.hpp"

namespace supn {

struct CovarianceMaps {
  std::string quantity;  // of the Gaussian's values
  CalibrationFacts calibration;
  ImageSize size;                    // of the maps
  std::vector<std::int64_t> pixels;  // raster indices, one for each --pixel
  at::Tensor pixel_mean;             // float64 [M]: means of the pixels; undefined without
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

// "logit", or what the Gaussian's file says.
std::string unit_of(const CovarianceMaps& maps);

// Returns the unit of functional i's mean and std.
std::string functional_unit(const CovarianceMaps& maps, std::size_t i);

// Median and 90 % interval of the depth at a value with this mean and std; none where the values
// are no logits of disparity.
std::optional<DepthInterval> depth_of(const CovarianceMaps& maps,
                                      double mean,
                                      double std,
                                      const std::optional<double>& scale);
// Describes functional i likewise: for a weighted mean the depth at it, for a difference of two
// pixels that of their depths; others have none.
std::optional<DepthInterval> depth_of_functional(const CovarianceMaps& maps,
                                                 std::size_t i,
                                                 const std::optional<double>& scale);
// "m" with a scale, else "relative".
std::string depth_unit(const std::optional<double>& scale);

// <out>/<name>/ with covariance.npy, correlation.npy, marginal_std.npy, sample_std.npy,
// correlation_length_{rows,columns}.npy, functionals.npy (their covariance), whichever was asked
// for, and info.json: all of it or nothing. Then <out>/<name>.png. rgb: uint8 [H,W,3] of any size,
// or undefined. Throws IoError.
void write_covariance(const CovarianceMaps& maps,
                      const InputImage& image,
                      const at::Tensor& rgb,
                      const CovarianceArguments& arguments);

}  // namespace supn
