#include "supn/comparison/condition_split.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "supn/data/frame_depth.hpp"
#include "supn/errors.hpp"
#include "supn/evaluation/depth/conditioning_rivals.hpp"
#include "supn/evaluation/scores/order_statistics.hpp"
#include "supn/evaluation/tables/held_back_table.hpp"
#include "supn/evaluation/tables/overview.hpp"
#include "supn/evaluation/tables/score_sheet.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/io/image.hpp"
#include "supn/rounded.hpp"
#include "supn/with_remedy.hpp"

namespace supn {
namespace {

// 0 first, then the counts asked for, ascending.
std::vector<std::int64_t> row_counts(const std::vector<std::int64_t>& asked) {
  std::set<std::int64_t> counts{0};
  counts.insert(asked.begin(), asked.end());
  if (counts.size() == 1) counts.insert({25, 50, 100, 200});
  return {counts.begin(), counts.end()};
}

struct MeasuredPicture {
  at::Tensor rgb;
  at::Tensor depth_m;
};

std::optional<MeasuredPicture> read_picture(const DataConfig& data, const Frame& frame) {
  at::Tensor depth_m = read_frame_depth(data, frame);
  if (!depth_m.defined()) return std::nullopt;
  return MeasuredPicture{read_rgb(image_path(data.root, frame)), std::move(depth_m)};
}

class SplitRun {
 public:
  SplitRun(const ConditionedSplit& request,
           const ComparisonConfig& config,
           const ComparisonObserver& observer)
      : request_(request),
        config_(config),
        observer_(observer),
        counts_(row_counts(request.counts)) {
    for (const std::int64_t count : counts_) {
      sheet_.row(known_row_name(count));
      if (count == 0) continue;
      for (const Rival rival : rivals_of(request.isotropic)) {
        sheet_.row(rival_row_name(count, rival));
      }
    }
  }

  void take(const Frame& frame);
  SplitResult result(const std::vector<Frame>& frames, const std::string& split) const;
  std::int64_t images() const { return images_; }
  // Judges the scale by the median image; empty where the scale fits.
  std::string scale_warning() const;

 private:
  void skip(const Frame& frame, const std::string& reason);
  void score_rows(const Frame& frame,
                  const StructuredGaussian& gaussian,
                  const DepthMeasurements& ordered,
                  const GroundTruth& truth);
  LogitMarginals marginals(const StructuredGaussian& gaussian,
                           const DepthMeasurements& points) const;
  void keep(const Frame& frame, const std::string& row, std::vector<NamedScore> values);
  void add_verdicts(std::vector<TableRow>& rows) const;
  std::vector<std::pair<std::string, std::string>> caption(std::size_t frames) const;

  const ConditionedSplit& request_;
  const ComparisonConfig& config_;
  const ComparisonObserver& observer_;
  std::vector<std::int64_t> counts_;
  ScoreSheet sheet_{held_back_columns()};
  std::vector<double> ratios_;  // of the images' scales (ChosenScale)
  std::int64_t images_ = 0;
  MeasurementModel model_;  // of the image at hand
};

std::string SplitRun::scale_warning() const {
  if (ratios_.empty()) return "";
  const double ratio = supn::median(at::tensor(ratios_, at::kDouble));
  return supn::scale_warning(request_.condition.scale, ratio);
}

void SplitRun::skip(const Frame& frame, const std::string& reason) {
  observer_.on_warning(frame.id() + ": skipped, " + reason);
}

void SplitRun::take(const Frame& frame) {
  const std::optional<MeasuredPicture> example = read_picture(config_.data, frame);
  if (!example) return skip(frame, "it has no ground truth");
  const StructuredGaussian gaussian =
      request_.predict(example->rgb, frame.id()).to(c10::Device(c10::kCPU));
  const DepthMeasurements all = measurements_on_grid(example->depth_m, gaussian.size());
  const std::int64_t most = counts_.back();
  if (all.count() <= most) {
    return skip(frame, c10::str(all.count(), " measured pixels are not more than ", most));
  }
  const ConditionOptions& options = request_.condition;
  const DepthMeasurements ordered =
      selected(all,
               select_points(gaussian,
                             all,
                             {.selection = options.selection,
                              .count = most,
                              .seed = image_seed(request_.seed, frame.id()),
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
    return skip(frame,
                c10::str("none of its ",
                         ordered.count(),
                         " known depths can be expressed at scale ",
                         rounded(model_.scale, 4),
                         ": are they metres?"));
  }
  score_rows(frame, gaussian, ordered, truth);
  ++images_;
}

LogitMarginals SplitRun::marginals(const StructuredGaussian& gaussian,
                                   const DepthMeasurements& points) const {
  const ConditionOptions& options = request_.condition;
  Observations observations = depth_observations(points, model_.scale, options.noise, model_.range);
  const ConditioningOptions how = conditioning_options(gaussian, options);
  return with_remedy(kConditionRemedy, [&] {
    if (options.gate && points.count() > 0) {
      const GateOptions gate{.limit = *options.gate, .conditioning = how};
      observations = selected(observations, gate_outliers(gaussian, observations, gate).kept);
    }
    ConditionedGaussian conditioned(gaussian, observations, how);
    return conditioned_marginals(conditioned, options.method);
  });
}

void SplitRun::score_rows(const Frame& frame,
                          const StructuredGaussian& gaussian,
                          const DepthMeasurements& ordered,
                          const GroundTruth& truth) {
  const RivalInputs inputs{gaussian.mean()[0][0], model_.scale, model_.range, request_.isotropic};
  for (const std::int64_t wanted : counts_) {
    const std::int64_t count = std::min(wanted, ordered.count());
    const DepthMeasurements chosen =
        selected(ordered, at::arange(count, at::TensorOptions().dtype(at::kLong)));
    const DepthMeasurements known =
        selected(chosen, representable(chosen, model_.scale, model_.range));
    const LogitMarginals conditioned = marginals(gaussian, known);
    std::vector<NamedScore> values = named_held_back(score_held_back(conditioned, truth, model_));
    values.emplace_back("logit_std", conditioned.variance.sqrt().mean().item<double>());
    keep(frame, known_row_name(wanted), std::move(values));
    if (known.count() == 0) continue;
    for (const Rival rival : rivals_of(request_.isotropic)) {
      keep(frame,
           rival_row_name(wanted, rival),
           named_held_back(score_rival(rival_depth(rival, inputs, known), truth, model_)));
    }
  }
}

void SplitRun::keep(const Frame& frame, const std::string& row, std::vector<NamedScore> values) {
  values.emplace_back("scale", model_.scale);
  sheet_.keep(sheet_.row(row), frame.id(), values);
}

void SplitRun::add_verdicts(std::vector<TableRow>& rows) const {
  for (const std::int64_t count : counts_) {
    std::vector<std::pair<std::string, std::string>> rivals;
    for (const Rival rival : rivals_of(request_.isotropic)) {
      rivals.emplace_back(rival_row_name(count, rival), option_name(rival));
    }
    for (TableRow& row : rows) {
      if (row.name == known_row_name(count)) row.verdict = against_others(sheet_, row.name, rivals);
    }
  }
}

std::vector<std::pair<std::string, std::string>> SplitRun::caption(std::size_t frames) const {
  const ConditionOptions& options = request_.condition;
  const DepthNoise& noise = options.noise;
  return {
      {"protocol", std::string(option_name(config_.evaluation.protocol))},
      {"known points",
       c10::str(option_name(options.selection),
                ", of each image's ground truth; smaller sets are the start of larger ones; seed ",
                request_.seed)},
      {"held back",
       c10::str(
           "the same points for all rows: none of the ", counts_.back(), " that are known last")},
      {"noise of a measurement",
       c10::str(noise.metres, " m and ", noise.relative, " of the depth")},
      {"gate", options.gate ? c10::str(*options.gate, " standard deviations") : "off"},
      {"scale",
       options.scale.mode == ScaleMode::kFixed
           ? c10::str("fixed, ", options.scale.fixed, " / disparity")
           : "per image, from its largest set of known points (per_image.csv)"},
      {"log of the scale",
       options.scale_std ? c10::str("unknown, std ", *options.scale_std, ", solved with the field")
                         : "known"},
      {"in 50 %, in 90 %",
       "share of held-back points inside the central interval of the exact marginal, as a new "
       "measurement; rms z: of their deviations in standard deviations (1 is right); log density: "
       "nats per point, in logits; std: mean over pixels, logits"},
      {"width, CRPS, score",
       "of the 90 % interval of depth; CRPS, score (of that interval): proper, low is good"},
      {"calibration", request_.calibration},
      {"images", c10::str(images_, " of ", frames)},
      {"cells", "mean over images (std over images)"}};
}

SplitResult SplitRun::result(const std::vector<Frame>& frames, const std::string& split) const {
  Table table;
  table.title = "Conditioning on known points, " + split;
  table.caption = caption(frames.size());
  table.columns = sheet_.columns();
  table.overview = held_back_overview();
  table.rows = sheet_.rows();
  add_verdicts(table.rows);
  return {
      std::move(table),
      sheet_.per_image_csv(),
      {{"intervals.csv", sheet_.intervals_csv()}, {"differences.csv", sheet_.differences_csv()}}};
}

}  // namespace

SplitResult condition_split(const ConditionedSplit& request,
                            const ComparisonConfig& config,
                            const ComparisonObserver& observer) {
  const at::NoGradGuard no_grad;
  if (request.condition.method == ConditioningMethod::kPcg) {
    throw ConfigError("--method pcg gives no variance, which the table needs; leave it out");
  }
  const std::vector<Frame> frames = read_split(config.data, request.split);
  const std::filesystem::path& split = split_file(config.data, request.split);
  SplitRun run(request, config, observer);
  const auto images = static_cast<std::int64_t>(frames.size());
  observer.on_image(0, images);
  for (std::int64_t i = 0; i < images; ++i) {
    run.take(frames[static_cast<std::size_t>(i)]);
    observer.on_image(i + 1, images);
  }
  if (run.images() == 0) {
    throw ConfigError(split.string() +
                      ": no image has enough ground truth; check data.root, data.depth_folders and "
                      "--count-known");
  }
  const std::string warning = run.scale_warning();
  if (!warning.empty()) observer.on_warning(warning);
  return run.result(frames, split.filename().string());
}

}  // namespace supn
