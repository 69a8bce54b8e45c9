#include "common/config_options.hpp"

#include <iostream>

namespace supn {

void declare_config_options(CLI::App& options, ConfigArguments& arguments) {
  const char* group = "Configuration";
  CLI::Option* config =
      options.add_option("--config", arguments.file, "YAML file (keys: docs/configuration.md)");
  config->type_name("FILE")->required()->default_str("")->group(group);
  options
      .add_option("--set",
                  arguments.overrides,
                  "section.key=value, replaces what the file says; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false)
      ->default_str("")
      ->needs(config)
      ->group(group);
  options
      .add_flag("--print-config", arguments.print, "print the resolved configuration, do nothing")
      ->needs(config)
      ->group(group);
  options
      .add_flag_callback(
          "--help-config",
          [] {
            std::cout << configuration_page();
            throw CLI::Success();
          },
          "print every configuration key with default, range and meaning")
      ->group(group);
}

std::optional<Config> load_app_config(const ConfigArguments& arguments) {
  Config config = load_config(arguments.file, arguments.overrides);
  if (!arguments.print) return config;
  std::cout << to_yaml(config) << std::flush;
  return std::nullopt;
}

}  // namespace supn
