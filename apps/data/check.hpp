// supn_data check: looks through the files of a configuration's splits.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "common/config_options.hpp"

namespace supn {

struct CheckArguments {
  ConfigArguments config;
  std::vector<std::string> splits = {"train", "val", "test", "sequence"};
};

void declare_check(CLI::App& options, CheckArguments& arguments);
// Faults and counts on stdout; 1 if there was a fault.
int check_data(const CheckArguments& arguments);

}  // namespace supn
