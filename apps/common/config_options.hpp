// --config, --set, --print-config and --help-config, for the apps that work from a configuration
// file.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "supn/config/config.hpp"

namespace supn {

struct ConfigArguments {
  std::filesystem::path file;
  std::vector<std::string> overrides;
  bool print = false;
};

void declare_config_options(CLI::App& options, ConfigArguments& arguments);

// Returns the resolved configuration; nothing after --print-config, which has then written it to
// stdout. Throws IoError and ConfigError as load_config.
std::optional<Config> load_app_config(const ConfigArguments& arguments);

}  // namespace supn
