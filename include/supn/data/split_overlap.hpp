// Frames that are listed where they should not be.
#pragma once

#include <string>
#include <vector>

#include "supn/data/data_config.hpp"

namespace supn {

// A sentence for each list that names frames more than once, and for each two of the training,
// validation and test lists that share frames, with their number and the first three. Lists that
// are not set or cannot be read are passed over: who needs them says so.
std::vector<std::string> split_overlaps(const DataConfig& config);

}  // namespace supn
