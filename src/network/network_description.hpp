// network.json of a checkpoint says which architecture its weights belong to.
#pragma once

#include <string>

#include "supn/image_size.hpp"
#include "supn/network/network_config.hpp"

namespace supn {

struct NetworkDescription {
  NetworkConfig config;
  ImageSize size;  // of the network's input
};

std::string to_json(const NetworkDescription& description);
// Throws JsonError or ConfigError for what to_json does not write.
NetworkDescription network_description_from_json(const std::string& text);

}  // namespace supn
