// The weights that a fresh run starts from.
#pragma once

#include <filesystem>

#include "supn/network/supn_network.hpp"
#include "supn/network/weights.hpp"

namespace supn {

// source: a .safetensors file in public names (weights.hpp), or a checkpoint directory, of which
// everything that has the same name and shape is taken. Throws IoError if nothing fits.
WeightReport load_initial_weights(SupnNetworkImpl& network, const std::filesystem::path& source);

}  // namespace supn
