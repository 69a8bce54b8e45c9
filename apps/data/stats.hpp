// supn_data stats says in numbers what the splits of a configuration hold.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "common/config_options.hpp"
#include "common/run_app.hpp"
#include "common/split_options.hpp"

namespace supn {

struct StatsArguments {
  ConfigArguments config;
  std::vector<std::string> splits = all_split_names();
};

void declare_stats(CLI::App& options, StatsArguments& arguments);
// Prints a block of lines per split on stdout. Uses as many threads as `shared` has.
int data_statistics(const StatsArguments& arguments, const SharedOptions& shared);

}  // namespace supn
