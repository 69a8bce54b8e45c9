// Reads the Gaussians that a synthetic set's members are drawn from.
#pragma once

#include "supn/data/data_config.hpp"
#include "supn/data/kitti.hpp"
#include "supn/evaluation/scores/true_gaussian.hpp"

namespace supn {

// <data.truth>/<frame>.safetensors. Throws IoError if it is missing, damaged, or of another size
// than the data's.
TrueGaussian read_truth(const DataConfig& data, const Frame& frame);

}  // namespace supn
