#include "sample/options.hpp"

#include "common/choice_option.hpp"
#include "common/option_effect.hpp"
#include "common/split_options.hpp"
#include "supn/errors.hpp"
#include "supn/io/video.hpp"

namespace supn {
namespace {

std::optional<double> parse_scale(const std::string& text) {
  if (text == "none") return std::nullopt;
  if (const std::optional<double> scale = fixed_scale(text)) return scale;
  if (text == "auto" || text == "median") {
    throw CLI::ValidationError(
        "--scale", text + " needs known depths, as supn_condition has; give a NUMBER or none");
  }
  throw CLI::ValidationError(
      "--scale", "expected NUMBER, fixed:NUMBER (1e-6 to 1e6) or none, got '" + text + "'");
}

void declare_inputs(CLI::App& options, SampleArguments& arguments) {
  declare_source_options(options, arguments.source);
  declare_images_option(options, arguments.image);
  declare_split_option(options, arguments.split, "with --config: train, val, test or sequence");
  declare_config_options(options, arguments.config);
  options.get_option("--config")->required(false);
  options.add_option("--out", arguments.out, "folder for the results")
      ->type_name("DIR")
      ->always_capture_default(false);
}

void declare_gaussian_file(CLI::App& options, SampleArguments& arguments) {
  options
      .add_option("--save-gaussian",
                  arguments.save_gaussian,
                  "write the image's structured Gaussian to this file (safetensors), for "
                  "--gaussian and python/supn/read_gaussian.py")
      ->type_name("FILE")
      ->always_capture_default(false);
  add_choice(options,
             "--gaussian-dtype",
             arguments.gaussian_dtype,
             "of --save-gaussian: float16 halves the file, and is too coarse for smooth fields");
}

void declare_sequence(CLI::App& options, SampleArguments& arguments) {
  options.add_flag_callback(
      "--common-noise",
      [&arguments] { arguments.noise = NoiseSharing::kCommon; },
      "the same noise for all images: samples of a sequence then change with the images alone");
  options
      .add_option("--video",
                  arguments.video,
                  "also a film of the images in their order, with mean, std and three samples")
      ->type_name("AVI")
      ->always_capture_default(false);
  options.add_option("--video-rate", arguments.video_rate, "pictures per second of --video")
      ->check(CLI::Range(0.1, 240.0));
}

void declare_quantity(CLI::App& options, OutputQuantity& output) {
  add_choice(
      options, "--quantity", output.quantity, "logit, disparity (0.01 + 9.99 sigmoid), depth");
  options
      .add_option_function<std::string>(
          "--scale",
          [&output](const std::string& text) { output.scale = parse_scale(text); },
          "with --quantity depth: metres = scale / disparity, 5.4 (or fixed:5.4) for networks "
          "trained on KITTI's stereo pairs; none = depth without unit")
      ->type_name("NUMBER|none")
      ->default_str("none");
}

void check_video(const SampleArguments& arguments, std::size_t images) {
  if (arguments.video.empty()) return;
  check_video_name(arguments.video);
  if (images < 2) {
    throw ConfigError("--video needs a sequence: a folder or list of images, or --config");
  }
  if (arguments.size == OutputSize::kImage) {
    throw ConfigError("--video shows maps of the network's size; leave out --resize");
  }
}

// A file's Gaussian is of one image.
std::vector<InputImage> picture_of_gaussian(const SampleArguments& arguments) {
  if (!arguments.config.file.empty()) {
    throw ConfigError("--gaussian holds one image's Gaussian; leave out --config");
  }
  if (arguments.out.empty()) throw ConfigError("--out is required: the folder for the results");
  check_video(arguments, 1);
  if (arguments.image.empty()) {
    if (arguments.size == OutputSize::kNetwork) return {};
    throw ConfigError("--resize needs --image FILE: the size to resize to");
  }
  std::vector<InputImage> images = images_from(arguments.image);
  if (images.size() == 1) return images;
  throw ConfigError("--gaussian holds one image's Gaussian, and --image names " +
                    std::to_string(images.size()) + " images; name the one it belongs to");
}

std::vector<InputImage> images_of(const SampleArguments& arguments,
                                  const std::optional<Config>& config) {
  if (!config) return images_from(arguments.image);
  return images_of_split(config->data, split_named(arguments.split));
}

}  // namespace

void declare_sample_options(CLI::App& options, SampleArguments& arguments) {
  declare_inputs(options, arguments);
  declare_gaussian_file(options, arguments);
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
  declare_quantity(options, draw.output);
  options.add_flag_callback(
      "--resize",
      [&arguments] { arguments.size = OutputSize::kImage; },
      "maps of each image's own size instead of the network's");
  options.add_flag_callback(
      "--no-picture",
      [&arguments] { arguments.pictures = Pictures::kNone; },
      "arrays and info.json alone, which takes less time; an earlier picture is removed");
  options.add_flag_callback(
      "--in-turn",
      [&arguments] { arguments.order = Order::kInTurn; },
      "one image after the other, each with all threads, in place of one thread for each: the "
      "first is ready sooner, all of them later");
  declare_sequence(options, arguments);
  options.callback([&options, &arguments] {
    if (arguments.draw.output.quantity != Quantity::kDepth) {
      refuse_without_effect(options, "--scale", "--quantity depth");
    }
    if (arguments.draw.method == SampleMethod::kExact) {
      refuse_without_effect(options, "--iterations", "--method jacobi");
    }
    if (arguments.video.empty()) refuse_without_effect(options, "--video-rate", "--video");
    if (arguments.save_gaussian.empty()) {
      refuse_without_effect(options, "--gaussian-dtype", "--save-gaussian");
    }
    if (arguments.config.file.empty()) refuse_without_effect(options, "--split", "--config");
  });
}

std::optional<std::vector<InputImage>> input_images(const SampleArguments& arguments) {
  if (!arguments.source.gaussian.empty()) return picture_of_gaussian(arguments);
  if (arguments.image.empty() == arguments.config.file.empty()) {
    throw ConfigError("give either --image FILE|FOLDER|LIST or --config FILE with --split NAME");
  }
  std::optional<Config> config;
  if (!arguments.config.file.empty()) {
    config = load_app_config(arguments.config);
    if (!config) return std::nullopt;
    require_usual_depths(config->evaluation);
  }
  if (arguments.out.empty()) throw ConfigError("--out is required: the folder for the results");
  std::vector<InputImage> images = images_of(arguments, config);
  check_video(arguments, images.size());
  if (!arguments.save_gaussian.empty() && images.size() != 1) {
    throw ConfigError("--save-gaussian writes one image's Gaussian, and there are " +
                      std::to_string(images.size()) + " images; call it for each of them");
  }
  return images;
}

}  // namespace supn
