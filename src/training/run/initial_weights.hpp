// The weights that a fresh run starts from.
#pragma once

#include <filesystem>

#include "supn/network/supn_network.hpp"
#include "supn/network/weights.hpp"
#include "supn/training/training_config.hpp"

namespace supn {

// training.initial_weights: a .safetensors file in public names (weights.hpp), or a checkpoint
// directory, of which everything that has the same name and shape is taken. Throws IoError, naming
// both backbones, if that is less than training.initial_share of the mean network's numbers, or
// nothing at all.
WeightReport load_initial_weights(SupnNetworkImpl& network, const TrainingConfig& training);

// Sets the bias of every mean head (the mean network's biases of one element) to `logit`, so that a
// network without initial weights starts at the members' level instead of having to find it.
void set_mean_level(SupnNetworkImpl& network, double logit);

}  // namespace supn
