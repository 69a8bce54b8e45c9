// A split that must be there.
#pragma once

#include <filesystem>

#include "supn/data/kitti.hpp"

namespace supn {

// Throws ConfigError if the configuration does not set it.
const std::filesystem::path& required_split_file(const DataConfig& config, Split split);

}  // namespace supn
