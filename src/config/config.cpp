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

std::string configuration_page() {
  return "# Configuration\n\n"
         "Every key of a configuration file, in its section. In a file: `data:`, and below it, "
         "indented, `height: 192`. On the command line: `--set data.height=192`. Paths are "
         "relative to the file that names them (on the command line: to the current folder), "
         "`\"\"` "
         "is no path. `base: other.yaml` at the top of a file starts from another file. "
         "`--print-config` of any app shows what is in force.\n" +
         options_as_markdown(list_options(Config()));
}

}  // namespace supn
