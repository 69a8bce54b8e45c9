// What scanners of fewer beams would have measured of an example (lidar_beams.hpp).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <vector>

#include "supn/data/data_config.hpp"
#include "supn/data/dataset.hpp"

namespace supn {

// Returns a map [H,W] of the example's depth for each count of beams; reads nothing where there is
// none. Throws IoError where the calibration of the frame's day is missing or damaged, ConfigError
// where it is of images of another size than the frame's depth.
std::map<std::int64_t, at::Tensor> beam_depths(const DataConfig& data,
                                               const Example& example,
                                               const std::vector<std::int64_t>& counts);

}  // namespace supn
