// supn_data synth writes the procedural road world.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>

#include "supn/synthetic/synthetic_set.hpp"

namespace supn {

struct SynthArguments {
  std::filesystem::path out;
  SyntheticSetOptions set;
  std::string size = "320x96";  // WIDTHxHEIGHT
};

void declare_synth(CLI::App& options, SynthArguments& arguments);
int synthesize(SynthArguments arguments);

}  // namespace supn
