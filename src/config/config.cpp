#include "supn/config/config.hpp"

#include <map>
#include <string>

#include "supn/config/config_node.hpp"
#include "supn/config/option_tree.hpp"
#include "supn/data/kitti.hpp"

namespace supn {
namespace {

KeyPlace::Source source_of(const std::string& place, const std::filesystem::path& file) {
  if (place.starts_with("--set ")) return KeyPlace::Source::kOverride;
  return place.starts_with(file.string() + ":") ? KeyPlace::Source::kFile : KeyPlace::Source::kBase;
}

// Returns the places of the keys below `data` that name splits.
std::map<std::string, KeyPlace> split_places(const ConfigNode& tree,
                                             const std::filesystem::path& file) {
  std::map<std::string, KeyPlace> places;
  const ConfigNode* data = tree.find("data");
  if (data == nullptr) return places;
  for (const auto& [name, split] : OptionNames<Split>::values) {
    const std::string key = std::string(name) + "_split";
    const ConfigNode* value = data->find(key);
    if (value != nullptr) places[key] = {value->place, source_of(value->place, file)};
  }
  return places;
}

}  // namespace

Config load_config(const std::filesystem::path& file, std::span<const std::string> overrides) {
  Config config;
  const ConfigNode tree = load_config_tree(file, overrides);
  read_options(config, tree);
  config.data.places = split_places(tree, file);
  return config;
}

std::string to_yaml(const Config& config) { return options_as_yaml(list_options(config)); }

std::vector<OptionChange> option_changes(const Config& before, const Config& now) {
  const std::vector<OptionEntry> old_entries = list_options(before);
  const std::vector<OptionEntry> new_entries = list_options(now);
  std::vector<OptionChange> changes;
  for (std::size_t i = 0; i < new_entries.size(); ++i) {
    if (old_entries[i].value == new_entries[i].value) continue;
    changes.push_back({new_entries[i].key, old_entries[i].value, new_entries[i].value});
  }
  return changes;
}

std::string configuration_page() {
  return "# Configuration\n\n"
         "Every key of a configuration file, in its section. In a file: `data:`, and below it, "
         "indented, `height: 192`. On the command line: `--set data.height=192`. Paths are "
         "relative to the file that names them (on the command line: to the current folder), "
         "`\"\"` "
         "is no path; a leading `~/` is the home folder, `$NAME` is not expanded. `base: "
         "other.yaml` at the top of a file starts from another file. "
         "`--print-config` of any app shows what is in force.\n" +
         options_as_markdown(list_options(Config()));
}

}  // namespace supn
