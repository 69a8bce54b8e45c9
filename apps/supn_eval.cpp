// Makes tables of accuracy, sparsification, likelihood and spread of models on a split.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/calibration_option.hpp"
#include "common/choice_option.hpp"
#include "common/config_options.hpp"
#include "common/image_progress.hpp"
#include "common/option_effect.hpp"
#include "common/run_app.hpp"
#include "common/split_options.hpp"
#include "supn/comparison/check_request.hpp"
#include "supn/comparison/checkpoint_temperature.hpp"
#include "supn/comparison/evaluate_split.hpp"
#include "supn/config/config_node.hpp"
#include "supn/data/split_overlap.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

struct Arguments {
  ConfigArguments config;
  EvaluationRequest request;
  std::string split = "test";
  std::vector<std::string> fit_temperature;
  CalibrationRule calibration;
};

void declare_rows(CLI::App& options, EvaluationRequest& request) {
  options.add_flag("--ensemble",
                   request.ensemble,
                   "a row for the ensemble itself, of all members in the sample files");
  options.add_flag("--ensemble-variants",
                   request.ensemble_variants,
                   "a row for each ensemble uncertainty in circulation: empirical, release2020, "
                   "release2021a, release2021b, paper");
  options.add_flag("--baselines",
                   request.baselines,
                   "rows for Gaussians fitted to the members of each image: diagonal, low rank "
                   "and diagonal (rank 10), covariance with shrinkage");
  options.add_flag(
      "--truth",
      request.truth,
      "a row for the true Gaussians of a synthetic set (data.truth), and the gap of each "
      "model's likelihood to theirs, KL divergence, errors of std and covariance");
}

// Rows beside those of random points.
void declare_known_rows(CLI::App& options, KnownRequest& known) {
  CLI::Option* points = options.get_option("--known-points");
  options
      .add_option("--outliers",
                  known.outliers,
                  "rows with this share of the known points grossly wrong, with and without a gate")
      ->check(CLI::Range(0.0, 0.5))
      ->needs(points);
  options
      .add_option("--gate", known.gate, "standard deviations at which a known point is left out")
      ->check(CLI::Range(0.1, 1e6))
      ->needs("--outliers");
  options
      .add_flag("--active",
                known.active,
                "rows with points where the model says that measuring helps most")
      ->needs(points);
  options
      .add_option_function<double>(
          "--scale-prior",
          [&known](double std) { known.scale_std = std; },
          "rows with the scale as an unknown, log-normal around evaluation's with this std, solved "
          "with the field")
      ->check(CLI::Range(0.0, 3.0))
      ->needs(points);
}

void declare_known(CLI::App& options, KnownRequest& known) {
  options
      .add_option("--known-points",
                  known.counts,
                  "rows for each model given so many points of the ground truth, e.g. "
                  "25,50,100,200: accuracy on what is held back")
      ->delimiter(',')
      ->check(CLI::Range(1, 100000));
  options.add_option("--known-noise", known.relative_noise, "std of a known depth, relative to it")
      ->check(CLI::Range(0.0, 1.0));
  options
      .add_option("--lidar-beams",
                  known.beams,
                  "rows for each model given what so many of the scanner's 64 beams measured, e.g. "
                  "1,4,16; needs ground truth of one scan and KITTI's calibration files")
      ->delimiter(',')
      ->check(CLI::IsMember({1, 2, 4, 8, 16, 32}));
  add_choice(options,
             "--quantiles",
             known.quantiles,
             "of intervals given points: gaussian, or tailed (fitted with --fit-temperature truth: "
             "narrower in the middle, heavier tails, the more is known)");
  declare_known_rows(options, known);
}

void declare_external(CLI::App& options, EvaluationRequest& request) {
  options
      .add_option("--external",
                  request.external,
                  "other programs' predictions, one row each: folders with <frame>/disparity.npy "
                  "or depth.npy in metres, with samples.npy and uncertainty.npy where there are "
                  "such; or with raw/disp/%06d_10.png and raw/uncert/%06d_10.png; or a .npy file "
                  "of all images' disparities [N,h,w]")
      ->type_name("DIR|NPY");
  CLI::Option* external = options.get_option("--external");
  options
      .add_option("--external-baseline",
                  request.external_baseline,
                  "metres between the cameras that the PNG files' disparities are of: 0.1 of "
                  "monocular and mixed training, 0.54 for those that --eval_stereo wrote")
      ->type_name("0.1|0.54|METRES")
      ->check(CLI::Range(1e-3, 1e3))
      ->needs(external);
}

void declare(CLI::App& options, Arguments& arguments) {
  EvaluationRequest& request = arguments.request;
  options
      .add_option("--checkpoint",
                  request.checkpoints,
                  "checkpoint folders, one row each; NAME=DIR names the row")
      ->type_name("[NAME=]DIR");
  declare_external(options, request);
  declare_rows(options, request);
  declare_known(options, request.known);
  options
      .add_option("--second-samples",
                  request.second_samples,
                  "sample files of another ensemble: its members' likelihood as LL B")
      ->type_name("DIR")
      ->always_capture_default(false);
  options
      .add_option(
          "--jacobi",
          request.jacobi,
          "measure the residual of the paper's Jacobi sampling after so many sweeps; 0 = no")
      ->check(CLI::Range(0, 100000));
  options
      .add_option("--fit-temperature",
                  arguments.fit_temperature,
                  "first fit one scalar on each checkpoint's factors on the validation split, to "
                  "the ensemble's members or to the truth (ground-truth points; or members,truth: "
                  "both), and keep it in the checkpoint, where all apps find it")
      ->delimiter(',')
      ->check(CLI::IsMember({"members", "truth"}))
      ->always_capture_default(false);
  declare_calibration_option(options, arguments.calibration);
  declare_split_option(options, arguments.split, "train, val, test or sequence");
  options
      .add_option("--out",
                  request.out,
                  "folder for table.{txt,csv,json,tex}, per_image.csv, intervals.csv, "
                  "differences.csv, curves.csv and pictures of the curves")
      ->type_name("DIR")
      ->always_capture_default(false);
  declare_config_options(options, arguments.config);
  options.callback([&options, &request] {
    if (request.known.empty()) {
      for (const char* flag : {"--known-noise", "--quantiles"}) {
        refuse_without_effect(options, flag, "--known-points or --lidar-beams");
      }
    }
  });
}

void fit_temperatures(const std::vector<std::string>& checkpoints,
                      CalibratedOn on,
                      const ComparisonConfig& config,
                      c10::Device device) {
  if (checkpoints.empty()) throw ConfigError("--fit-temperature: give --checkpoint DIR");
  for (const std::string& checkpoint : checkpoints) {
    ImageProgress progress("temperature");
    const auto [model, fit] = fit_checkpoint_temperature(
        checkpoint, on, config, device, [&](std::int64_t done, std::int64_t images) {
          progress(done, images);
          if (done == images) progress.finish();
        });
    spdlog::info("{}: {}; log-density {:.4f} in place of {:.4f} nats per {}",
                 model,
                 AppliedTemperature{on, fit}.text(),
                 fit.log_likelihood_after,
                 fit.log_likelihood_before,
                 on == CalibratedOn::kMembers ? "pixel and member" : "point");
  }
}

int run(Arguments& arguments, const SharedOptions& shared) {
  const std::optional<Config> config = load_app_config(arguments.config);
  if (!config) return 0;
  arguments.request.split = split_named(arguments.split);
  for (const std::string& overlap : split_overlaps(config->data)) spdlog::warn("{}", overlap);
  arguments.request.config_files = config_files(arguments.config.file);
  KnownRequest& known = arguments.request.known;
  for (std::vector<std::int64_t>* numbers : {&known.counts, &known.beams}) {
    std::ranges::sort(*numbers);
    numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
  }
  const ComparisonConfig compared{config->data, config->evaluation};
  check_request(arguments.request, compared.data);  // before a temperature is fitted
  for (const std::string& on : arguments.fit_temperature) {
    fit_temperatures(arguments.request.checkpoints,
                     on == "members" ? CalibratedOn::kMembers : CalibratedOn::kTruth,
                     compared,
                     shared.device);
  }
  arguments.request.calibration = arguments.calibration.wanted;
  ImageProgress progress("evaluate");
  const SplitResult result = evaluate_split(
      arguments.request,
      compared,
      shared.device,
      {.on_image = std::ref(progress),
       .on_warning = [](const std::string& warning) { spdlog::warn("{}", warning); }});
  progress.finish();
  const std::filesystem::path& out = arguments.request.out;
  if (!out.empty()) spdlog::info("tables are in {}", out.string());
  std::cout << text_table(result.table) << std::flush;
  return 0;
}

}  // namespace
}  // namespace supn

int main(int argc, char** argv) {
  supn::Arguments arguments;
  return supn::run_app(
      {.name = "supn_eval",
       .summary = "Evaluates models on a split: accuracy of the mean and of the best sample, "
                  "AUSE and AURG, likelihood of the ensemble's members, spread of the samples "
                  "against the members', one row per model.",
       .example = "supn_eval --checkpoint runs/kitti/best --ensemble --config configs/kitti.yaml "
                  "--split test --out results/kitti"},
      {argc, argv},
      [&](CLI::App& options) { supn::declare(options, arguments); },
      [&](const supn::SharedOptions& shared) { return supn::run(arguments, shared); });
}
