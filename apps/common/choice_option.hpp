// Command-line options whose values are the names of an enum (option_fields.hpp).
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "supn/option_fields.hpp"

namespace supn {

template <class Enum>
void add_choice(CLI::App& options, const std::string& flag, Enum& value, const std::string& doc) {
  std::vector<std::string> names;
  for (const auto& [name, choice] : OptionNames<Enum>::values) names.emplace_back(name);
  options
      .add_option_function<std::string>(
          flag,
          [&value](const std::string& text) {
            for (const auto& [name, choice] : OptionNames<Enum>::values) {
              if (name == text) value = choice;
            }
          },
          doc)
      ->check(CLI::IsMember(names))
      ->default_str(std::string(option_name(value)));
}

}  // namespace supn
