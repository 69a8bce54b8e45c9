#include "condition/options.hpp"

#include "common/choice_option.hpp"
#include "common/option_effect.hpp"
#include "common/split_options.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

ScaleRule parse_scale_rule(const std::string& text) {
  if (text == "auto") return {ScaleMode::kAuto};
  if (text == "median") return {ScaleMode::kMedian};
  if (const std::optional<double> scale = fixed_scale(text)) return {ScaleMode::kFixed, *scale};
  throw CLI::ValidationError(
      "--scale", "expected auto, median, NUMBER or fixed:NUMBER (1e-6 to 1e6), got '" + text + "'");
}

void declare_inputs(CLI::App& options, ConditionArguments& arguments) {
  declare_source_options(options, arguments.source);
  options
      .add_option("--image",
                  arguments.image,
                  "the image; needed with --checkpoint, else only shown and measured in")
      ->type_name("FILE")
      ->always_capture_default(false);
  declare_measurement_options(options, arguments.measurements);
  options.add_option("--out", arguments.out, "folder for the results")
      ->type_name("DIR")
      ->always_capture_default(false);
  options.add_option("--seed", arguments.seed, "of the known points' choice and of the samples");
  declare_split_option(options,
                       arguments.split,
                       "with --config: a table over the images of train, val, test or sequence, "
                       "known points taken from their ground truth");
  declare_config_options(options, arguments.config);
  options.get_option("--config")->required(false);
}

void declare_noise(CLI::App& options, DepthNoise& noise) {
  options.add_option("--noise", noise.metres, "std of the measured depths in metres")
      ->type_name("SIGMA_M")
      ->check(CLI::Range(0.0, 1e6));
  options
      .add_option(
          "--noise-relative",
          noise.relative,
          "std of the measured depths as a share of the depth; with --noise: the root of the "
          "sum of both squares; neither = exact")
      ->type_name("R")
      ->check(CLI::Range(0.0, 10.0));
}

void declare_points(CLI::App& options, ConditionArguments& arguments) {
  ConditionOptions& condition = arguments.condition;
  options
      .add_option("--count-known",
                  arguments.counts,
                  "measurements to take as known, the others are held back to judge by; without it "
                  "all of them. Several numbers with --config: a row for each (25 50 100 200)")
      ->type_name("K ...")
      ->check(CLI::Range(0, 10000000))
      ->always_capture_default(false);
  add_choice(options,
             "--select",
             condition.selection,
             "random, or active: where the Gaussian says that measuring helps most");
  declare_noise(options, condition.noise);
  options
      .add_option_function<double>(
          "--gate",
          [&condition](double limit) { condition.gate = limit; },
          "leave out known points that are farther than this many standard deviations from what "
          "all others predict for them")
      ->type_name("Z")
      ->check(CLI::Range(0.1, 1e6))
      ->default_str("off");
  options
      .add_option_function<std::string>(
          "--scale",
          [&condition](const std::string& text) { condition.scale = parse_scale_rule(text); },
          "depth = scale/disparity: 5.4 or fixed:5.4 (networks trained on KITTI's stereo pairs), "
          "median "
          "(ratio of the known points' medians), or auto: 5.4 where the points agree within 25 %, "
          "else median")
      ->type_name("auto|median|NUMBER")
      ->default_str("auto");
  options
      .add_option_function<double>(
          "--scale-prior",
          [&condition](double std) { condition.scale_std = std; },
          "take the scale as an unknown, log-normal around --scale with this std (0.1: within 10 "
          "%), "
          "and solve it together with the depths")
      ->type_name("STD")
      ->check(CLI::Range(0.0, 3.0))
      ->default_str("off");
  options
      .add_option_function<std::int64_t>(
          "--lidar-beams",
          [&arguments](std::int64_t count) { arguments.lidar_beams = count; },
          "with --lidar: what so many of the scanner's 64 beams measured is known, the rest judges")
      ->check(CLI::IsMember({1, 2, 4, 8, 16, 32}))
      ->default_str("all");
}

void check_effects(const CLI::App& options, const ConditionArguments& arguments) {
  if (arguments.measurements.lidar.empty()) {
    refuse_without_effect(options, "--calibration", "--lidar");
    refuse_without_effect(options, "--camera", "--lidar");
    refuse_without_effect(options, "--lidar-beams", "--lidar");
    refuse_without_effect(options, "--lidar-columns", "--lidar");
  }
  if (!arguments.is_split()) {
    refuse_without_effect(options, "--split", "--config");
    if (arguments.counts.empty()) refuse_without_effect(options, "--select", "--count-known");
    return;
  }
  for (const char* flag : {"--samples", "--quantity", "--protocol"}) {
    refuse_without_effect(options, flag, "--image");
  }
}

}  // namespace

void declare_condition_options(CLI::App& options, ConditionArguments& arguments) {
  declare_inputs(options, arguments);
  declare_points(options, arguments);
  ConditionOptions& condition = arguments.condition;
  add_choice(options,
             "--method",
             condition.method,
             "of conditioning: auto, dense, sparse, or pcg (mean and samples only)");
  add_choice(options,
             "--protocol",
             condition.protocol,
             "which held-back points count: eigen (1e-3..80 m, crop) or eigen_benchmark (all)");
  options.add_option("--samples", condition.samples, "conditional samples to write")
      ->check(CLI::Range(1, 100000));
  add_choice(options, "--quantity", arguments.quantity, "of the maps: logit, disparity, depth (m)");
  options.callback([&options, &arguments] { check_effects(options, arguments); });
}

void check_condition_arguments(const ConditionArguments& arguments) {
  if (arguments.source.checkpoint.empty() == arguments.source.gaussian.empty()) {
    throw ConfigError("give either --checkpoint DIR or --gaussian FILE");
  }
  if (arguments.condition.gate && arguments.condition.method == ConditioningMethod::kPcg) {
    throw ConfigError("--gate needs --method auto, dense or sparse: pcg gives no distances");
  }
  if (arguments.is_split()) {
    if (any_measurements(arguments.measurements) || !arguments.image.empty()) {
      throw ConfigError(
          "--config takes images and ground truth from the split; leave out --image, --known, "
          "--depth and --lidar");
    }
    if (arguments.source.checkpoint.empty()) {
      throw ConfigError("--config needs --checkpoint DIR: --gaussian holds one image's");
    }
    return;
  }
  if (arguments.out.empty()) throw ConfigError("--out is required: the folder for the results");
  if (!arguments.source.checkpoint.empty() && arguments.image.empty()) {
    throw ConfigError("--checkpoint needs --image FILE, or --config FILE with --split NAME");
  }
  if (arguments.counts.size() > 1) {
    throw ConfigError("--count-known: several numbers make a table over a split; give --config");
  }
}

}  // namespace supn
