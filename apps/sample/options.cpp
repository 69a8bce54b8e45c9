#include "sample/options.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cmath>
#include <cstdlib>

#include "supn/errors.hpp"

namespace supn {
namespace {

// An option with the names of an enum.
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

std::optional<double> parse_scale(const std::string& text) {
  if (text == "none") return std::nullopt;
  char* end = nullptr;
  const double scale = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(scale) || scale <= 0.0) {
    throw CLI::ValidationError("--scale", "expected a positive number or none, got '" + text + "'");
  }
  return scale;
}

void declare_inputs(CLI::App& options, SampleArguments& arguments) {
  options.add_option("--checkpoint", arguments.checkpoint, "folder of a trained network")
      ->type_name("DIR")
      ->required();
  options
      .add_option("--image",
                  arguments.image,
                  "an image, a folder of images, or a .txt list of images (one path a line)")
      ->type_name("FILE|FOLDER|LIST")
      ->always_capture_default(false);
  options.add_option("--split", arguments.split, "with --config: train, val, test or sequence")
      ->check(CLI::IsMember({"train", "val", "test", "sequence"}));
  declare_config_options(options, arguments.config);
  options.get_option("--config")->required(false);
  options.add_option("--out", arguments.out, "folder for the results")
      ->type_name("DIR")
      ->always_capture_default(false);
}

}  // namespace

void declare_sample_options(CLI::App& options, SampleArguments& arguments) {
  declare_inputs(options, arguments);
  DrawOptions& draw = arguments.draw;
  options.add_option("--count", draw.count, "samples to write for each image")
      ->check(CLI::Range(1, 100000));
  options
      .add_option("--std-samples",
                  draw.std_samples,
                  "samples that the standard deviation comes from, at least --count")
      ->check(CLI::Range(2, 100000));
  options.add_option("--seed", arguments.seed, "same seed, same samples, for any --count");
  add_choice(options,
             "--method",
             draw.method,
             "exact, or jacobi: the paper's truncated iteration, which can fail and says so");
  options.add_option("--iterations", draw.iterations, "sweeps of --method jacobi")
      ->check(CLI::Range(1, 1000000));
  add_choice(options, "--quantity", draw.quantity, "logit, disparity (0.01 + 9.99 sigmoid), depth");
  options
      .add_option_function<std::string>(
          "--scale",
          [&draw](const std::string& text) { draw.scale = parse_scale(text); },
          "depth in metres = scale / disparity: 5.4 for networks trained on KITTI's stereo pairs; "
          "none = depth without unit")
      ->type_name("NUMBER|none")
      ->default_str("none");
  options.add_flag_callback(
      "--resize",
      [&arguments] { arguments.size = OutputSize::kImage; },
      "maps of each image's own size instead of the network's");
}

std::optional<std::vector<InputImage>> input_images(const SampleArguments& arguments) {
  if (arguments.image.empty() == arguments.config.file.empty()) {
    throw ConfigError("give either --image FILE|FOLDER|LIST or --config FILE with --split NAME");
  }
  std::optional<Config> config;
  if (!arguments.config.file.empty()) {
    config = load_app_config(arguments.config);
    if (!config) return std::nullopt;
  }
  if (arguments.out.empty()) throw ConfigError("--out is required: the folder for the results");
  if (!config) return images_from(arguments.image);
  for (const auto& [name, split] : OptionNames<Split>::values) {
    if (name == arguments.split) return images_of_split(config->data, split);
  }
  throw ConfigError("--split: expected train, val, test or sequence, got " + arguments.split);
}

}  // namespace supn
