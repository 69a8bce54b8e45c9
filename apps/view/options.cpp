#include "view/options.hpp"

#include "common/option_effect.hpp"
#include "common/split_options.hpp"
#include "inference/inputs.hpp"
#include "inference/quantity.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

void parse_scale(const std::string& text, ViewArguments& arguments) {
  if (text == "auto") {
    arguments.scale = ViewScale::kAuto;
  } else if (text == "none") {
    arguments.scale = ViewScale::kNone;
  } else if (text == "median") {
    arguments.scale = ViewScale::kMedian;
  } else if (const std::optional<double> scale = fixed_scale(text)) {
    arguments.scale = ViewScale::kFixed;
    arguments.fixed_scale = *scale;
  } else {
    throw CLI::ValidationError(
        "--scale",
        "expected auto, NUMBER, fixed:NUMBER, median or none (numbers: 1e-6 to 1e6), got '" + text +
            "'");
  }
}

void declare_images(CLI::App& options, ViewArguments& arguments) {
  declare_source_options(options, arguments.source);
  declare_images_option(options, arguments.image);
  declare_split_option(
      options,
      arguments.split,
      "with --config: the images of train, val, test or sequence, with their ground "
      "truth and the members' predictions where these are there");
  declare_config_options(options, arguments.config);
  options.get_option("--config")->required(false);
}

}  // namespace

void declare_view_options(CLI::App& options, ViewArguments& arguments) {
  declare_images(options, arguments);
  declare_measurement_options(options, arguments.measurements);
  options
      .add_option_function<std::string>(
          "--scale",
          [&arguments](const std::string& text) { parse_scale(text, arguments); },
          "metres = scale / disparity: 5.4 (or fixed:5.4) for networks trained on KITTI's stereo "
          "pairs; median: that of the measured depths; none = depth without unit, and no measured "
          "depths; auto: median where depths are measured, else none")
      ->type_name("auto|NUMBER|median|none")
      ->default_str("auto");
  options.add_option("--seed", arguments.seed, "of the samples, as in supn_sample");
  options.add_option("--port", arguments.port, "to listen on, on this machine alone; 0 = any")
      ->check(CLI::Range(0, 65535));
  options.add_flag_callback(
      "--no-browser",
      [&arguments] { arguments.browser = Browser::kLeave; },
      "print the address, open no browser");
  options.callback([&options, &arguments] {
    if (arguments.config.file.empty()) refuse_without_effect(options, "--split", "--config");
    if (arguments.measurements.lidar.empty() && arguments.measurements.calibration.empty()) {
      refuse_without_effect(options, "--camera", "--lidar or --calibration");
    }
  });
}

void check_view_arguments(const ViewArguments& arguments) {
  const bool is_file = !arguments.source.gaussian.empty();
  const bool is_split = !arguments.config.file.empty();
  if (is_file && is_split) {
    throw ConfigError("--gaussian holds one image's Gaussian; leave out --config");
  }
  if (!is_file && arguments.image.empty() == !is_split) {
    throw ConfigError("give either --image FILE|FOLDER|LIST or --config FILE with --split NAME");
  }
  if (is_split && any_measurements(arguments.measurements)) {
    throw ConfigError(
        "--config takes measured depths from the split; leave out --known, --depth "
        "and --lidar");
  }
  if (arguments.scale == ViewScale::kNone && any_measurements(arguments.measurements)) {
    throw ConfigError(
        "--scale none: measured depths are metres, and need a scale; leave it out, or "
        "give NUMBER or median");
  }
  const bool has_depths = is_split || any_measurements(arguments.measurements);
  if (arguments.scale == ViewScale::kMedian && !has_depths) {
    throw ConfigError(
        "--scale median needs measured depths: --config, --known, --depth or --lidar");
  }
}

}  // namespace supn
