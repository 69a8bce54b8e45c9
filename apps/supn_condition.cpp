// Conditions an image's Gaussian on measured depths.
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <iostream>
#include <optional>

#include "common/image_progress.hpp"
#include "common/run_app.hpp"
#include "common/split_options.hpp"
#include "condition/options.hpp"
#include "condition/write.hpp"
#include "supn/comparison/condition_split.hpp"
#include "supn/data/lidar_beams.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/io/image.hpp"

namespace supn {
namespace {

// Depths in other units are like those of another scene: most can't be expressed.
void warn_of_units(const ConditionedImage& result) {
  if (result.out_of_range <= result.known.count() + result.gated.count()) return;
  spdlog::warn(
      "{} of the chosen depths, more than half, are out of the range that the maps can express at "
      "scale {:.4g}; are they metres?",
      result.out_of_range,
      result.scale.scale);
}

constexpr const char* kOtherMethods =
    "use --method dense, or sparse where the factor is in raster order";

// A map of NaN is no result.
void require_finite(const ConditionedImage& result) {
  const auto is_finite = [](const at::Tensor& values) {
    return !values.defined() || values.isfinite().all().item<bool>();
  };
  if (is_finite(result.posterior.mean) && is_finite(result.posterior.variance) &&
      is_finite(result.samples)) {
    return;
  }
  throw ConfigError(fmt::format(
      "conditioning by {} gives values that are not finite (relative residual {:.3g} after {} "
      "iterations), and nothing is written; {}",
      option_name(result.report.method),
      result.report.relative_residual,
      result.report.iterations,
      kOtherMethods));
}

void log_merged(const DepthMeasurements& known) {
  if (known.merged == 0) return;
  spdlog::info("{} measured points fell on a pixel of the maps that has another: {}",
               known.merged,
               known.std_m.defined() ? "those of a pixel become one, by the precision of each"
                                     : "the nearest is taken");
}

void log_result(const ConditionedImage& result, const ScaleRule& rule, double seconds) {
  spdlog::info("{} of {} measured pixels are known, {} gated, {} out of range; scale {:.5g} ({})",
               result.known.count(),
               result.measurements,
               result.gated.count(),
               result.out_of_range,
               result.scale.scale,
               result.scale.reason);
  log_merged(result.known);
  if (result.log_scale) {
    spdlog::info("log of the true scale to this one: {:.4f} ± {:.4f}",
                 result.log_scale->mean,
                 result.log_scale->std);
  }
  warn_of_units(result);
  const std::string warning = scale_warning(rule, result.scale.ratio);
  if (!warning.empty()) spdlog::warn(warning);
  if (!result.report.note.empty()) spdlog::info("{}", result.report.note);
  if (!result.report.converged) {
    spdlog::warn("conditioning failed: relative residual {:.3g} after {} iterations; {}",
                 result.report.relative_residual,
                 result.report.iterations,
                 kOtherMethods);
  }
  if (result.before && result.after) {
    spdlog::info("{} held-back points: AbsRel {:.4f} before, {:.4f} after",
                 result.before->points,
                 result.before->accuracy.abs_rel,
                 result.after->accuracy.abs_rel);
    for (const auto& [rival, scores] : result.rivals) {
      spdlog::info(
          "  the same points by {}: AbsRel {:.4f}", option_name(rival), scores.accuracy.abs_rel);
    }
  }
  spdlog::info("conditioned by {} in {:.2f} s", option_name(result.report.method), seconds);
}

// Checks the outputs before any work.
void check_outputs(const ConditionArguments& arguments, const InputImage& image) {
  OutputGuard guard;
  const MeasurementArguments& measured = arguments.measurements;
  for (const auto& input : {arguments.image,
                            image.path,
                            arguments.source.gaussian,
                            measured.known,
                            measured.depth,
                            measured.lidar,
                            measured.calibration}) {
    guard.reads(input);
  }
  reads_checkpoint(guard, arguments.source.checkpoint);
  check_output_place(guard, output_place(arguments.out, image), kConditionFiles);
}

MeasuredMaps measured_maps(const ConditionArguments& arguments, const MeasuredSize& size) {
  const MeasurementArguments& measured = arguments.measurements;
  const DepthPointMaps points = read_measurements(measured, size);
  MeasuredMaps maps{points.depth_m, points.std_m};
  const DepthNoise& noise = arguments.condition.noise;
  if (maps.std_m.defined() && (noise.metres > 0.0 || noise.relative > 0.0)) {
    throw ConfigError(measured.known.string() +
                      ": has a std_m for each point; leave out --noise and --noise-relative");
  }
  if (!arguments.lidar_beams) return maps;
  const LidarCamera camera = read_lidar_camera(measured.calibration, measured.camera);
  maps.offered = few_beams(maps.depth_m, camera, *arguments.lidar_beams);
  if (maps.offered.gt(0.0).any().item<bool>()) return maps;
  throw ConfigError("--lidar-beams " + std::to_string(*arguments.lidar_beams) +
                    ": no point of these beams is in the image; give more beams");
}

int condition_one(const ConditionArguments& arguments, GaussianSource& source) {
  const auto start = std::chrono::steady_clock::now();
  at::Tensor rgb;
  if (!arguments.image.empty()) rgb = read_rgb(arguments.image);
  const std::optional<ImageSize> size = source.image_size(rgb);
  const InputImage image = source.image_for(arguments.image);
  check_outputs(arguments, image);
  const MeasuredMaps maps = measured_maps(arguments, {rgb.defined() ? *size : source.size(), size});
  ConditionOptions options = arguments.condition;
  if (!arguments.counts.empty()) options.count_known = arguments.counts.front();
  const ConditionedImage result =
      condition_image(source.predict(rgb, image.path.string()).to(c10::Device(c10::kCPU)),
                      maps,
                      options,
                      image_seed(arguments.seed, image.seed_id));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  require_finite(result);
  log_result(result, options.scale, seconds.count());
  write_conditioned(result, image, rgb, arguments, source.calibration());
  const std::filesystem::path folder = arguments.out / image.name;
  spdlog::info(
      "{0}/ holds {1} {2} {3} given the points, and the points (known.csv, for --known); {0}.png "
      "shows them",
      folder.string(),
      result.posterior.variance.defined() ? "mean, std and" : "mean and",
      result.samples.size(0),
      result.samples.size(0) == 1 ? "sample" : "samples");
  return 0;
}

OutputGuard inputs_of(const ConditionArguments& arguments, const Config& config) {
  OutputGuard guard;
  guard.reads(arguments.config.file);
  guard.reads(split_file(config.data, split_named(arguments.split)));
  reads_checkpoint(guard, arguments.source.checkpoint);
  return guard;
}

SplitResult conditioned(const GaussianSource& source,
                        const Config& config,
                        const ConditionArguments& arguments) {
  ImageProgress progress("condition");
  return condition_split(
      {.predict = [&](const at::Tensor& rgb,
                      const std::string& name) { return source.predict(rgb, name); },
       .isotropic = source.isotropic(),
       .calibration = source.calibration().text,
       .counts = arguments.counts,
       .condition = arguments.condition,
       .seed = arguments.seed,
       .split = split_named(arguments.split)},
      {config.data, config.evaluation},
      {.on_image =
           [&](std::int64_t done, std::int64_t images) {
             progress(done, images);
             if (done == images) progress.finish();
           },
       .on_warning = [](const std::string& warning) { spdlog::warn("{}", warning); }});
}

int run(const ConditionArguments& arguments, const SharedOptions& shared) {
  std::optional<Config> config;
  if (arguments.is_split()) {
    config = load_app_config(arguments.config);
    if (!config) return 0;
    require_usual_depths(config->evaluation);
  }
  check_condition_arguments(arguments);
  GaussianSource source(arguments.source, shared.device);
  source.require_logits("supn_condition");
  if (!config) return condition_one(arguments, source);
  if (!arguments.out.empty()) check_split_result(inputs_of(arguments, *config), arguments.out);
  const SplitResult result = conditioned(source, *config, arguments);
  if (!arguments.out.empty()) {
    write_split_result(result, arguments.out);
    spdlog::info("tables are in {}", arguments.out.string());
  }
  std::cout << text_table(result.table) << std::flush;
  return 0;
}

}  // namespace
}  // namespace supn

int main(int argc, char** argv) {
  supn::ConditionArguments arguments;
  arguments.source.calibration.preferred = supn::CalibratedOn::kTruth;
  return supn::run_app(
      {.name = "supn_condition",
       .summary =
           "Conditions an image's Gaussian on measured depths of some pixels (a list, a depth "
           "map, a laser scan): exact mean, standard deviation and samples given the "
           "measurements, and errors on those held back. Over a split: a table.",
       .example = "supn_condition --checkpoint runs/kitti/best --image 0000000003.png --lidar "
                  "0000000003.bin --calibration 2011_09_26 --count-known 100 --noise-relative 0.02 "
                  "--out conditioned"},
      {argc, argv},
      [&](CLI::App& options) { supn::declare_condition_options(options, arguments); },
      [&](const supn::SharedOptions& shared) { return supn::run(arguments, shared); });
}
