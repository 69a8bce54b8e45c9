// The page can send measured depths as a file.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>

#include "inference/measurements.hpp"

namespace supn {

inline constexpr std::size_t kLargestUpload = std::size_t{64} << 20;  // bytes

struct Upload {
  std::string name;
  const std::string& bytes;
};

// Reads an upload by its name's ending: .csv is a list, .png a depth map, .bin a scan, for which
// `settings` must name the calibration. Returns depth in metres [H,W], 0 = none. The file is never
// on a disk. Throws BadRequest for another ending, and where the readers throw IoError, with the
// upload's name.
at::Tensor uploaded_measurements(const Upload& upload,
                                 const MeasurementArguments& settings,
                                 const MeasuredSize& size);

}  // namespace supn
