// supn_data speed measures how fast the training split is loaded on this machine.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <vector>

#include "common/config_options.hpp"

namespace supn {

struct SpeedArguments {
  ConfigArguments config;
  std::int64_t images = 256;
  std::int64_t scales = 4;
  std::vector<std::int64_t> workers = {1, 2};
};

void declare_speed(CLI::App& options, SpeedArguments& arguments);
// Prints a line for each number of workers on stdout.
int loading_speed(const SpeedArguments& arguments);

}  // namespace supn
