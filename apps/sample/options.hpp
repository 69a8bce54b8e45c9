// The command line of supn_sample.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/config_options.hpp"
#include "sample/draw.hpp"
#include "sample/inputs.hpp"

namespace supn {

enum class OutputSize { kNetwork, kImage };

struct SampleArguments {
  std::filesystem::path checkpoint;
  std::filesystem::path image;
  ConfigArguments config;
  std::string split = "test";
  std::filesystem::path out;
  std::uint64_t seed = 1;
  OutputSize size = OutputSize::kNetwork;
  DrawOptions draw;
};

// The arguments are filled when the command line is parsed; bad values are parse errors.
void declare_sample_options(CLI::App& options, SampleArguments& arguments);

// By --image or by --config and --split; nothing after --print-config. Throws ConfigError unless
// exactly one of the two is given, IoError as images_from.
std::optional<std::vector<InputImage>> input_images(const SampleArguments& arguments);

}  // namespace supn
