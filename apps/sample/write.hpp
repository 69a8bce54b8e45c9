// Files and picture of one image's samples.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "inference/gaussian_source.hpp"
#include "inference/inputs.hpp"
#include "inference/output_place.hpp"
#include "sample/draw.hpp"
#include "sample/options.hpp"

namespace supn {

// All that <out>/<name>/ may hold.
inline constexpr std::array<std::string_view, 6> kSampleFiles{
    "mean.npy", "std.npy", "samples.npy", "info.json", "mean.png", "sample_*.png"};

// The sidecar says this beside the maps.
struct RunFacts {
  SourceArguments source;
  std::uint64_t seed = 0;
  std::string seed_id;   // with the seed it decides the noise
  ImageSize input_size;  // of the network
  CalibrationFacts calibration;
  Pictures pictures = Pictures::kAll;
};

// place.folder with mean.npy, std.npy, samples.npy, info.json and, for depth in metres with
// pictures, mean.png and sample_0000.png, ... (16 bit, depth_png.hpp): all of it or nothing. Throws
// IoError.
void write_outputs(const OutputPlace& place,
                   const InputImage& image,
                   const DrawnMaps& maps,
                   const DrawOptions& options,
                   const RunFacts& facts);

// Image, mean and std; then samples and their deviations from the mean. rgb: uint8 [H,W,3] of any
// size, or undefined where there is no image.
at::Tensor sample_sheet(const at::Tensor& rgb,
                        const DrawnMaps& maps,
                        const DrawOptions& options,
                        const CalibrationFacts& calibration);

}  // namespace supn
