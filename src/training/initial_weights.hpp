// The weights that a fresh run starts from.
#pragma once

#include <filesystem>

#include "supn/network/supn_network.hpp"
#include "supn/network/weights.hpp"

namespace supn {

// source: a .safetensors file in public names (weights.hpp), or a checkpoint directory, of which
// everything that has the same name and shape is taken. Throws IoError if nothing fits.
WeightReport load_initial_weights(SupnNetworkImpl& network, const std::filesystem::path& source);

// Sets the bias of every mean head (the mean network's biases of one element) to `logit`, so that a
// network without initial weights starts at the members' level instead of having to find it.
void set_mean_level(SupnNetworkImpl& network, double logit);

}  // namespace supn
