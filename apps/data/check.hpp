// supn_data check: looks through the files of a configuration's splits.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "common/config_options.hpp"
#include "common/run_app.hpp"
#include "common/split_options.hpp"

namespace supn {

struct CheckArguments {
  ConfigArguments config;
  std::vector<std::string> splits = all_split_names();
  bool quick = false;
};

void declare_check(CLI::App& options, CheckArguments& arguments);
// Faults and counts on stdout; 1 if there was a fault. Uses as many threads as `shared` has.
int check_data(const CheckArguments& arguments, const SharedOptions& shared);

}  // namespace supn
