// Published networks become members of an ensemble.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "import/find_networks.hpp"

namespace supn {

struct ConversionRequest {
  std::vector<NetworkFiles> networks;
  std::filesystem::path out;  // folder
  double dropout = 0.0;       // probability, where the networks were trained with dropout
  std::int64_t passes = 1;    // members of each network, which differ in what they drop
};

// Writes <out>/<name>.safetensors for each network, or <name>_pass_0.safetensors, … with dropout,
// and returns these files. Throws IoError as read_published_network, and where two networks have
// the same name; ConfigError for dropout that cannot be; nothing is written then.
std::vector<std::filesystem::path> convert_networks(const ConversionRequest& request);

}  // namespace supn
