// --split, for the apps that work on the splits of a configuration.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "supn/data/kitti.hpp"

namespace supn {

// One split by name: train, val, test or sequence.
void declare_split_option(CLI::App& options, std::string& name, const std::string& doc);
Split split_named(std::string_view name);  // throws ConfigError if there is none

// Any of the splits; `names` holds all of them at first.
void declare_splits_option(CLI::App& options, std::vector<std::string>& names);
std::vector<std::string> all_split_names();

// Returns those of `names` whose list is configured. Where all are asked for, one that comes from a
// `base` file and is not there is left out, with a warning: runs that set splits of their own do
// not use it. Throws ConfigError if that leaves none.
std::vector<Split> configured_splits(const DataConfig& data, const std::vector<std::string>& names);

}  // namespace supn
