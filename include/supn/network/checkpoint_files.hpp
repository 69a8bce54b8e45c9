// The names of a checkpoint's files, for those who read none of them: no tensors, no networks.
#pragma once

#include <array>
#include <string_view>

namespace supn {

// All that a checkpoint's folder may hold: the parts, and the temperatures of temperature.hpp.
inline constexpr std::array<std::string_view, 8> kCheckpointFiles{"model.safetensors",
                                                                  "network.json",
                                                                  "optimizer.safetensors",
                                                                  "progress.json",
                                                                  "config.yaml",
                                                                  "temperature.json",
                                                                  "temperature_truth.json",
                                                                  "training_range.json"};

}  // namespace supn
