#include "supn/config/config.hpp"

#include "supn/config/config_node.hpp"
#include "supn/config/option_tree.hpp"

namespace supn {

Config load_config(const std::filesystem::path& file, std::span<const std::string> overrides) {
  Config config;
  read_options(config, load_config_tree(file, overrides));
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
