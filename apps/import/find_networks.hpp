// find_networks() finds the networks of an ensemble on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace supn {

struct NetworkFiles {
  std::string name;  // of the member to be
  std::filesystem::path encoder;
  std::filesystem::path decoder;
};

// A folder with encoder.pth and depth.pth: that network. A folder with boot_1, boot_2, …: of each
// the newest weights_N. A folder with weights_0, weights_1, …: the newest `snapshots` of them.
// Everything may lie in a subfolder "models". Throws IoError for anything else.
std::vector<NetworkFiles> find_networks(const std::filesystem::path& folder,
                                        std::int64_t snapshots);

}  // namespace supn
