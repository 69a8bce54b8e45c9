#include "condition/condition_split.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/progress.hpp"
#include "common/split_options.hpp"
#include "supn/data/frame_depth.hpp"
#include "supn/errors.hpp"
#include "supn/evaluation/order_statistics.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/io/image.hpp"

namespace supn {
namespace {

std::vector<TableColumn> columns() {
  const char* accuracy = "Accuracy of the mean on held-back points";
  const char* calibration = "Calibration on held-back points";
  return {{"abs_rel", "AbsRel", accuracy, 4},
          {"rmse", "RMSE", accuracy, 4},
          {"a1", "A1", accuracy, 4},
          {"coverage_50", "in 50 %", calibration, 3},
          {"coverage_90", "in 90 %", calibration, 3},
          {"deviation_rms", "rms z", calibration, 3},
          {"log_density", "log density", calibration, 3},
          {"logit_std", "std", calibration, 4}};
}

// In the order of columns().
std::vector<double> values_of(const HeldBackScores& scores, const LogitMarginals& marginals) {
  return {scores.accuracy.abs_rel,
          scores.accuracy.rmse,
          scores.accuracy.a1,
          scores.coverage_50,
          scores.coverage_90,
          scores.deviation_rms,
          scores.log_density,
          marginals.variance.sqrt().mean().item<double>()};
}

std::string row_name(std::int64_t count) {
  return count == 0 ? "no points" : fmt::format("{} points", count);
}

// 0 first, then the counts asked for, ascending.
std::vector<std::int64_t> row_counts(const ConditionArguments& arguments) {
  std::set<std::int64_t> counts{0};
  counts.insert(arguments.counts.begin(), arguments.counts.end());
  if (counts.size() == 1) counts.insert({25, 50, 100, 200});
  return {counts.begin(), counts.end()};
}

struct Example {
  at::Tensor rgb;
  at::Tensor depth_m;
};

std::optional<Example> read_example(const DataConfig& data, const Frame& frame) {
  at::Tensor depth_m = read_frame_depth(data, frame);
  if (!depth_m.defined()) return std::nullopt;
  return Example{read_rgb(image_path(data.root, frame)), std::move(depth_m)};
}

class SplitRun {
 public:
  SplitRun(GaussianSource& source, const Config& config, const ConditionArguments& arguments)
      : source_(source), config_(config), arguments_(arguments), counts_(row_counts(arguments)) {
    csv_ = "image,points,held_back,scale";
    for (const TableColumn& column : columns()) csv_ += "," + column.key;
    csv_ += "\n";
    scores_.assign(counts_.size(), std::vector<std::vector<double>>(columns().size()));
  }

  void take(const Frame& frame);
  SplitResult result(const std::vector<Frame>& frames, const std::string& split) const;
  std::int64_t images() const { return images_; }
  // Of the median image; empty where the scale fits.
  std::string scale_warning() const;

 private:
  void skip(const Frame& frame, const std::string& reason);
  void score_rows(const Frame& frame,
                  const StructuredGaussian& gaussian,
                  const DepthMeasurements& ordered,
                  const GroundTruth& truth);
  LogitMarginals marginals(const StructuredGaussian& gaussian,
                           const DepthMeasurements& known) const;
  void keep(std::size_t row, const std::vector<double>& values);
  std::vector<std::pair<std::string, std::string>> caption(std::size_t frames) const;

  GaussianSource& source_;
  const Config& config_;
  const ConditionArguments& arguments_;
  std::vector<std::int64_t> counts_;
  std::vector<std::vector<std::vector<double>>> scores_;  // row, column, image
  std::string csv_;
  std::vector<double> ratios_;  // of the images' scales (ChosenScale)
  std::int64_t images_ = 0;
  MeasurementModel model_;  // of the image at hand
};

std::string SplitRun::scale_warning() const {
  if (ratios_.empty()) return "";
  const double ratio = supn::median(at::tensor(ratios_, at::kDouble));
  return supn::scale_warning(arguments_.condition.scale, ratio);
}

void SplitRun::skip(const Frame& frame, const std::string& reason) {
  spdlog::warn("{}: skipped, {}", frame.id(), reason);
}

void SplitRun::take(const Frame& frame) {
  const std::optional<Example> example = read_example(config_.data, frame);
  if (!example) return skip(frame, "it has no ground truth");
  const StructuredGaussian gaussian =
      source_.predict(example->rgb, frame.id()).to(c10::Device(c10::kCPU));
  const DepthMeasurements all = measurements_on_grid(example->depth_m, gaussian.size());
  const std::int64_t most = counts_.back();
  if (all.count() <= most) {
    return skip(frame, fmt::format("{} measured pixels are not more than {}", all.count(), most));
  }
  const ConditionOptions& options = arguments_.condition;
  const DepthMeasurements ordered =
      selected(all,
               select_points(gaussian,
                             all,
                             {.selection = options.selection,
                              .count = most,
                              .seed = image_seed(arguments_.seed, frame.id()),
                              .scale = options.scale,
                              .noise = options.noise}));
  const GroundTruth truth =
      ground_truth(without_measurements(example->depth_m, ordered.pixels, gaussian.size()),
                   config_.evaluation.protocol);
  if (truth.count() == 0) return skip(frame, "no held-back point counts under the protocol");
  const ChosenScale scale = choose_scale(options.scale, gaussian.mean(), ordered);
  if (scale.ratio) ratios_.push_back(*scale.ratio);
  model_ = {scale.scale, options.noise, DepthRange()};
  if (most > 0 && representable(ordered, model_.scale, model_.range).size(0) == 0) {
    return skip(
        frame,
        fmt::format("none of its {} known depths can be expressed at scale {:.4g}: are they "
                    "metres?",
                    ordered.count(),
                    model_.scale));
  }
  score_rows(frame, gaussian, ordered, truth);
  ++images_;
}

LogitMarginals SplitRun::marginals(const StructuredGaussian& gaussian,
                                   const DepthMeasurements& known) const {
  const DepthMeasurements points =
      selected(known, representable(known, model_.scale, model_.range));
  const ConditionOptions& options = arguments_.condition;
  Observations observations = depth_observations(points, model_.scale, options.noise, model_.range);
  return with_remedy([&] {
    if (options.gate && points.count() > 0) {
      const GateOptions gate{.limit = *options.gate, .conditioning = {.method = options.method}};
      observations = selected(observations, gate_outliers(gaussian, observations, gate).kept);
    }
    ConditionedGaussian conditioned(gaussian, observations, {.method = options.method});
    return conditioned_marginals(conditioned, options.method);
  });
}

void SplitRun::score_rows(const Frame& frame,
                          const StructuredGaussian& gaussian,
                          const DepthMeasurements& ordered,
                          const GroundTruth& truth) {
  for (std::size_t row = 0; row < counts_.size(); ++row) {
    const std::int64_t count = std::min(counts_[row], ordered.count());
    const DepthMeasurements known =
        selected(ordered, at::arange(count, at::TensorOptions().dtype(at::kLong)));
    const LogitMarginals conditioned = marginals(gaussian, known);
    const std::vector<double> values =
        values_of(score_held_back(conditioned, truth, model_), conditioned);
    csv_ += fmt::format(
        "{},{},{},{:.9g}", csv_field(frame.id()), counts_[row], truth.count(), model_.scale);
    keep(row, values);
  }
}

void SplitRun::keep(std::size_t row, const std::vector<double>& values) {
  for (std::size_t column = 0; column < values.size(); ++column) {
    scores_[row][column].push_back(values[column]);
    csv_ += fmt::format(",{:.9g}", values[column]);
  }
  csv_ += "\n";
}

std::vector<std::pair<std::string, std::string>> SplitRun::caption(std::size_t frames) const {
  const ConditionOptions& options = arguments_.condition;
  const DepthNoise& noise = options.noise;
  return {
      {"protocol", std::string(option_name(config_.evaluation.protocol))},
      {"known points",
       fmt::format("{}, of each image's ground truth; smaller sets are the start of larger ones; "
                   "seed {}",
                   option_name(options.selection),
                   arguments_.seed)},
      {"held back",
       fmt::format("the same points for all rows: none of the {} that are known last",
                   counts_.back())},
      {"noise of a measurement",
       fmt::format("{:g} m and {:g} of the depth", noise.metres, noise.relative)},
      {"gate", options.gate ? fmt::format("{:g} standard deviations", *options.gate) : "off"},
      {"scale",
       options.scale.mode == ScaleMode::kFixed
           ? fmt::format("fixed, {:g} / disparity", options.scale.fixed)
           : "per image, from its largest set of known points (per_image.csv)"},
      {"in 50 %, in 90 %",
       "share of held-back points inside the central interval of the exact marginal, as a new "
       "measurement; rms z: of their deviations in standard deviations (1 is right); log density: "
       "nats per point, in logits; std: mean over pixels, logits"},
      {"images", fmt::format("{} of {}", images_, frames)},
      {"cells", "mean over images (std over images)"}};
}

SplitResult SplitRun::result(const std::vector<Frame>& frames, const std::string& split) const {
  Table table;
  table.title = "Conditioning on known points, " + split;
  table.caption = caption(frames.size());
  table.columns = columns();
  for (std::size_t row = 0; row < counts_.size(); ++row) {
    TableRow line{row_name(counts_[row]), {}, {}};
    for (const std::vector<double>& values : scores_[row]) line.cells.push_back(summarise(values));
    table.rows.push_back(std::move(line));
  }
  return {std::move(table), csv_};
}

}  // namespace

SplitResult condition_split(GaussianSource& source,
                            const Config& config,
                            const ConditionArguments& arguments) {
  const at::NoGradGuard no_grad;
  if (arguments.condition.method == ConditioningMethod::kPcg) {
    throw ConfigError("--method pcg gives no variance, which the table needs; leave it out");
  }
  const Split named = split_named(arguments.split);
  const std::vector<Frame> frames = read_split(config.data, named);
  const std::filesystem::path& split = split_file(config.data, named);
  SplitRun run(source, config, arguments);
  Progress progress("condition", static_cast<std::int64_t>(frames.size()));
  for (const Frame& frame : frames) {
    run.take(frame);
    progress.advance();
  }
  progress.finish();
  if (run.images() == 0) {
    throw ConfigError(split.string() +
                      ": no image has enough ground truth; check data.root, data.depth_folders and "
                      "--count-known");
  }
  const std::string warning = run.scale_warning();
  if (!warning.empty()) spdlog::warn(warning);
  return run.result(frames, split.filename().string());
}

}  // namespace supn
