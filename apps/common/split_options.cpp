#include "common/split_options.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "supn/data/kitti.hpp"
#include "supn/errors.hpp"

namespace supn {

std::vector<std::string> all_split_names() {
  std::vector<std::string> names;
  for (const auto& [name, split] : OptionNames<Split>::values) names.emplace_back(name);
  return names;
}

void declare_split_option(CLI::App& options, std::string& name, const std::string& doc) {
  options.add_option("--split", name, doc)->check(CLI::IsMember(all_split_names()));
}

Split split_named(std::string_view name) {
  for (const auto& [known, split] : OptionNames<Split>::values) {
    if (known == name) return split;
  }
  throw ConfigError("--split: expected train, val, test or sequence, got " + std::string(name));
}

void declare_splits_option(CLI::App& options, std::vector<std::string>& names) {
  options
      .add_option(
          "--split",
          names,
          "train, val, test, sequence; may be repeated. Without it: all that are configured")
      ->take_all()
      ->allow_extra_args(false)
      ->check(CLI::IsMember(all_split_names()));
}

namespace {

// Left over from a base file, and its list is not there.
bool is_stale(const DataConfig& data, const std::string& name) {
  const auto place = data.places.find(name + "_split");
  if (place == data.places.end() || place->second.source != KeyPlace::Source::kBase) return false;
  std::error_code error;
  return !std::filesystem::exists(split_file(data, split_named(name)), error);
}

}  // namespace

std::vector<Split> configured_splits(const DataConfig& data,
                                     const std::vector<std::string>& names) {
  const bool all = names == all_split_names();
  std::vector<Split> splits;
  for (const auto& [name, split] : OptionNames<Split>::values) {
    const bool asked = std::find(names.begin(), names.end(), name) != names.end();
    if (!asked || split_file(data, split).empty()) continue;
    if (all && is_stale(data, std::string(name))) {
      spdlog::warn("{} is left out: its list {} is not there; set it, or set it to \"\"",
                   split_key(data, split),
                   split_file(data, split).string());
      continue;
    }
    read_split(data, split);  // refuses a list that cannot be read before any work
    splits.push_back(split);
  }
  if (splits.empty()) {
    throw ConfigError(
        "data: none of the splits asked for is set; set data.train_split, val_split, test_split or "
        "sequence_split");
  }
  return splits;
}

}  // namespace supn
