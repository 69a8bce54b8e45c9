#include "import/find_networks.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "supn/errors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

bool is_network(const fs::path& folder) {
  return fs::is_regular_file(folder / "encoder.pth") && fs::is_regular_file(folder / "depth.pth");
}

fs::path without_trailing_slash(const fs::path& folder) {
  return (folder / "").lexically_normal().parent_path();
}

NetworkFiles network_in(const fs::path& folder, const std::string& name) {
  return {name, folder / "encoder.pth", folder / "depth.pth"};
}

// Returns subfolders <prefix><number>, by number.
std::map<std::int64_t, fs::path> numbered_folders(const fs::path& folder, std::string_view prefix) {
  std::map<std::int64_t, fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || !name.starts_with(prefix)) continue;
    std::int64_t number = -1;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, number);
    if (error == std::errc() && stop == end) found.emplace(number, entry.path());
  }
  return found;
}

fs::path models_of(const fs::path& folder) {
  return fs::is_directory(folder / "models") ? folder / "models" : folder;
}

std::map<std::int64_t, fs::path> snapshots_in(const fs::path& folder) {
  std::map<std::int64_t, fs::path> snapshots = numbered_folders(models_of(folder), "weights_");
  std::erase_if(snapshots, [](const auto& entry) { return !is_network(entry.second); });
  return snapshots;
}

}  // namespace

std::vector<NetworkFiles> find_networks(const fs::path& folder, std::int64_t snapshots) {
  if (!fs::is_directory(folder)) {
    throw IoError(folder, "is no folder; convert folders, or give --encoder and --decoder files");
  }
  const fs::path root = without_trailing_slash(folder);
  if (is_network(root)) return {network_in(root, root.filename().string())};
  std::vector<NetworkFiles> networks;
  for (const auto& [number, boot] : numbered_folders(models_of(root), "boot_")) {
    const auto weights = snapshots_in(boot);
    if (weights.empty()) {
      throw IoError(boot, "has no folder weights_N with encoder.pth and depth.pth");
    }
    networks.push_back(network_in(weights.rbegin()->second, boot.filename().string()));
  }
  if (!networks.empty()) return networks;
  for (const auto& [number, weights] : snapshots_in(root)) {
    networks.push_back(network_in(weights, weights.filename().string()));
  }
  const auto surplus = static_cast<std::int64_t>(networks.size()) - snapshots;
  if (surplus > 0) networks.erase(networks.begin(), networks.begin() + surplus);
  if (!networks.empty()) return networks;
  throw IoError(folder,
                "holds no depth network: expected encoder.pth and depth.pth, or folders boot_N or "
                "weights_N with these");
}

}  // namespace supn
