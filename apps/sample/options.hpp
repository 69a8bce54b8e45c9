// The command line of supn_sample.
#pragma once

#include <CLI/App.hpp>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config_options.hpp"
#include "inference/gaussian_source.hpp"
#include "inference/inputs.hpp"
#include "sample/draw.hpp"

namespace supn {

enum class OutputSize { kNetwork, kImage };

// kCommon gives all images one noise, so that samples of a sequence change with the images alone.
enum class NoiseSharing { kPerImage, kCommon };

// kNone: arrays and info.json alone.
enum class Pictures { kAll, kNone };

// kInTurn: one image after the other, each with all threads.
enum class Order { kSideBySide, kInTurn };

enum class GaussianDtype { kFloat32, kFloat16 };

template <>
struct OptionNames<GaussianDtype> {
  static constexpr std::array<std::pair<std::string_view, GaussianDtype>, 2> values{
      {{"float32", GaussianDtype::kFloat32}, {"float16", GaussianDtype::kFloat16}}};
};

struct SampleArguments {
  SourceArguments source;
  std::filesystem::path image;
  ConfigArguments config;
  std::string split = "test";
  std::filesystem::path out;
  std::filesystem::path save_gaussian;  // empty = not saved
  GaussianDtype gaussian_dtype = GaussianDtype::kFloat32;
  std::filesystem::path video;  // empty = none
  double video_rate = 10.0;     // pictures per second
  std::uint64_t seed = 1;
  NoiseSharing noise = NoiseSharing::kPerImage;
  OutputSize size = OutputSize::kNetwork;
  Pictures pictures = Pictures::kAll;
  Order order = Order::kSideBySide;
  DrawOptions draw;
};

// The arguments are filled when the command line is parsed; bad values are parse errors.
void declare_sample_options(CLI::App& options, SampleArguments& arguments);

// Returns the images of --image, or of --config and --split; nothing after --print-config; with
// --gaussian at most one, its picture. Throws ConfigError for options that contradict each other,
// IoError as images_from.
std::optional<std::vector<InputImage>> input_images(const SampleArguments& arguments);

}  // namespace supn
