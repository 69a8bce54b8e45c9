// Tables of accuracy, sparsification, likelihood and spread of models on a split.
#include <spdlog/spdlog.h>

#include <iostream>
#include <optional>
#include <string>

#include "common/config_options.hpp"
#include "common/run_app.hpp"
#include "common/split_options.hpp"
#include "eval/evaluate_split.hpp"

namespace supn {
namespace {

struct Arguments {
  ConfigArguments config;
  EvaluationRequest request;
  std::string split = "test";
};

void declare(CLI::App& options, Arguments& arguments) {
  EvaluationRequest& request = arguments.request;
  options.add_option("--checkpoint", request.checkpoints, "checkpoint folders, one row each")
      ->type_name("DIR");
  options
      .add_option("--external",
                  request.external,
                  "folders of other programs' predictions, one row each: <frame>/disparity.npy or "
                  "depth.npy in metres, with samples.npy and uncertainty.npy where there are such; "
                  "or raw/disp/%06d_10.png and raw/uncert/%06d_10.png")
      ->type_name("DIR");
  options.add_flag("--ensemble",
                   request.ensemble,
                   "a row for the ensemble itself, of all members in the sample files");
  options.add_flag(
      "--truth",
      request.truth,
      "a row for the true factors of a synthetic set (data.truth), and the gap of each "
      "model's likelihood to theirs");
  declare_split_option(options, arguments.split, "train, val, test or sequence");
  options.add_option("--out", request.out, "folder for table.{txt,csv,json,tex} and per_image.csv")
      ->type_name("DIR")
      ->always_capture_default(false);
  declare_config_options(options, arguments.config);
}

int run(Arguments& arguments, const SharedOptions& shared) {
  const std::optional<Config> config = load_app_config(arguments.config);
  if (!config) return 0;
  arguments.request.split = split_named(arguments.split);
  const SplitResult result = evaluate_split(arguments.request, *config, shared.device);
  const std::filesystem::path& out = arguments.request.out;
  if (!out.empty()) {
    write_split_result(result, out);
    spdlog::info("tables are in {}", out.string());
  }
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
