#include "eval/evaluate_split.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "common/progress.hpp"
#include "eval/evaluated_models.hpp"
#include "eval/external_maps.hpp"
#include "supn/data/dataset.hpp"
#include "supn/errors.hpp"
#include "supn/evaluation/score_columns.hpp"
#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

// Sample files hold all members; the models are judged against those that they imitate.
DataConfig with_all_members(DataConfig data) {
  data.exclude_members.clear();
  return data;
}

bool have_log_scales(const DataConfig& data, const Frame& frame) {
  return std::filesystem::exists(log_scale_path(data.samples, frame));
}

// The configured variant where it can be had, else empirical.
EnsembleUncertainty usable_uncertainty(const Config& config, const Frame& first) {
  const EvaluationConfig& evaluation = config.evaluation;
  if (!needs_log_scale(evaluation.ensemble_uncertainty)) return EnsembleUncertainty::kEmpirical;
  const bool sigmoid = evaluation.uncertainty_space == UncertaintySpace::kSigmoid;
  if (sigmoid && have_log_scales(config.data, first)) return evaluation.ensemble_uncertainty;
  spdlog::warn("ensemble uncertainty is empirical, not {}: {}",
               option_name(evaluation.ensemble_uncertainty),
               sigmoid ? "the members have no log-scales (log_scale_0.npy)"
                       : "log-scales rank in sigmoid space only");
  return EnsembleUncertainty::kEmpirical;
}

class SplitEvaluation {
 public:
  SplitEvaluation(const EvaluationRequest& request, const Config& config, c10::Device device);
  void run();
  SplitResult result() const;

 private:
  void check_members();
  void score(std::int64_t index);
  void score_models(const Example& example, const ImageReference& reference);
  void score_external(std::int64_t index, const ImageReference& reference);
  ImageReference reference_of(const Example& example);
  void keep(std::size_t row, const Frame& frame, const std::vector<NamedScore>& scores);
  std::vector<std::pair<std::string, std::string>> caption() const;

  const EvaluationRequest& request_;
  const Config& config_;
  EvaluationConfig evaluation_;
  KittiDataset dataset_;
  std::vector<CheckpointModel> models_;
  std::vector<TableColumn> columns_ = score_columns();
  std::vector<ScoreCollector> collectors_;  // models, ensemble, external maps, truth
  std::vector<std::int64_t> imitated_;      // members that the models imitate
  std::vector<std::string> skipped_;
  std::string per_image_;
};

ExampleContents contents_of(const EvaluationRequest& request, const DataConfig& data) {
  return {.scales = data.samples.empty() ? 0 : 1,
          .depth = Presence::kIfPresent,
          .log_scale = request.ensemble ? Presence::kIfPresent : Presence::kUnused};
}

void check_request(const EvaluationRequest& request, const DataConfig& data) {
  if (request.checkpoints.empty() && request.external.empty() && !request.ensemble &&
      !request.truth) {
    throw ConfigError(
        "nothing to evaluate; give --checkpoint DIR, --external DIR, --ensemble or --truth");
  }
  if (request.ensemble && data.samples.empty()) {
    throw ConfigError(
        "--ensemble: data.samples is not set; set it to the folder that "
        "supn_ensemble wrote");
  }
  if (request.truth && data.truth.empty()) {
    throw ConfigError(
        "--truth: data.truth is not set; only synthetic sets (supn_data synth) have "
        "true factors");
  }
}

SplitEvaluation::SplitEvaluation(const EvaluationRequest& request,
                                 const Config& config,
                                 c10::Device device)
    : request_(request),
      config_(config),
      evaluation_(config.evaluation),
      dataset_(with_all_members(config.data), request.split, contents_of(request, config.data)) {
  check_members();
  for (const std::filesystem::path& checkpoint : request.checkpoints) {
    models_.emplace_back(checkpoint, config.data, device);
    collectors_.emplace_back(models_.back().name());
  }
  if (request.ensemble) {
    evaluation_.ensemble_uncertainty = usable_uncertainty(config, dataset_.frame(0));
    collectors_.emplace_back("ensemble");
  }
  for (const std::filesystem::path& folder : request.external) {
    collectors_.emplace_back((folder / "").lexically_normal().parent_path().string());
  }
  if (request.truth) collectors_.emplace_back("truth");
  per_image_ = "image,model";
  for (const TableColumn& column : columns_) per_image_ += "," + csv_field(column.key);
  per_image_ += "\n";
}

void SplitEvaluation::check_members() {
  const std::int64_t stored = dataset_.stored_members();
  if (request_.ensemble && stored < 2) {
    throw ConfigError("--ensemble: the sample files hold " + std::to_string(stored) +
                      " member, an ensemble needs at least 2; run supn_ensemble with more");
  }
  const std::vector<std::int64_t>& excluded = config_.data.exclude_members;
  for (std::int64_t member = 0; member < stored; ++member) {
    if (std::find(excluded.begin(), excluded.end(), member) == excluded.end()) {
      imitated_.push_back(member);
    }
  }
  for (const std::int64_t member : excluded) {
    if (stored > 0 && member >= stored) {
      throw ConfigError("data.exclude_members: no member " + std::to_string(member) +
                        "; the sample files hold members 0 to " + std::to_string(stored - 1));
    }
  }
  if (stored > 0 && imitated_.empty()) {
    throw ConfigError("data.exclude_members: excludes all members; leave at least one");
  }
}

void SplitEvaluation::run() {
  Progress progress("evaluate", dataset_.size());
  for (std::int64_t i = 0; i < dataset_.size(); ++i) {
    score(i);
    progress.advance();
  }
  if (static_cast<std::int64_t>(skipped_.size()) == dataset_.size()) {
    throw ConfigError("no image of the split has ground truth that counts under protocol " +
                      std::string(option_name(evaluation_.protocol)) +
                      "; check data.root, data.depth_folders and evaluation.protocol");
  }
  progress.finish();
}

ImageReference SplitEvaluation::reference_of(const Example& example) {
  ImageReference reference;
  reference.seed = image_seed(static_cast<std::uint64_t>(evaluation_.seed), example.frame.id());
  if (!example.predictions.empty()) {
    std::vector<at::Tensor> kept;
    const at::Tensor& members = example.predictions.front();
    at::Tensor index = at::empty({static_cast<std::int64_t>(imitated_.size())}, at::kLong);
    std::copy(imitated_.begin(), imitated_.end(), index.mutable_data_ptr<std::int64_t>());
    reference.members = members.index_select(0, index);
  }
  if (example.depth_m.defined()) {
    GroundTruth truth = ground_truth(example.depth_m, evaluation_.protocol);
    if (truth.count() > 0) reference.truth = std::move(truth);
  }
  if (!reference.truth) {
    spdlog::warn("{}: no ground truth that counts, skipped for accuracy", example.frame.id());
    skipped_.push_back(example.frame.id());
  }
  return reference;
}

void SplitEvaluation::score(std::int64_t index) {
  const Example example = dataset_.example(index, Augmentation());
  const ImageReference reference = reference_of(example);
  score_models(example, reference);
  if (request_.ensemble) {
    keep(models_.size(),
         example.frame,
         named_scores(score_ensemble(
             example.predictions.front(), example.log_scale, reference, evaluation_)));
  }
  score_external(index, reference);
}

void SplitEvaluation::score_external(std::int64_t index, const ImageReference& reference) {
  const std::size_t first = models_.size() + (request_.ensemble ? 1 : 0);
  const Frame& frame = dataset_.frame(index);
  for (std::size_t i = 0; i < request_.external.size(); ++i) {
    if (!reference.truth) continue;
    const PredictedMaps maps = read_external_maps(
        request_.external[i], {frame, index}, reference.truth->size, evaluation_);
    keep(first + i, frame, score_maps(maps, reference.truth, evaluation_));
  }
}

void SplitEvaluation::score_models(const Example& example, const ImageReference& reference) {
  std::optional<double> optimum;
  if (request_.truth) {
    const ImageScores scores =
        score_gaussian(read_truth(config_.data, example.frame), reference, evaluation_);
    if (scores.likelihood) optimum = scores.likelihood->nats_per_pixel;
    keep(collectors_.size() - 1, example.frame, named_scores(scores));
  }
  for (std::size_t m = 0; m < models_.size(); ++m) {
    const ImageScores scores =
        score_gaussian(models_[m].predict(example.image), reference, evaluation_);
    std::vector<NamedScore> named = named_scores(scores);
    if (optimum) named.emplace_back("ll_gap", *optimum - scores.likelihood->nats_per_pixel);
    keep(m, example.frame, named);
  }
}

void SplitEvaluation::keep(std::size_t row,
                           const Frame& frame,
                           const std::vector<NamedScore>& scores) {
  collectors_[row].add(scores);
  per_image_ += csv_field(frame.id()) + "," + csv_field(collectors_[row].name());
  for (const TableColumn& column : columns_) {
    const auto found = std::find_if(scores.begin(), scores.end(), [&](const NamedScore& score) {
      return score.first == column.key;
    });
    per_image_ += ",";
    if (found != scores.end()) per_image_ += fmt::format("{:.9g}", found->second);
  }
  per_image_ += "\n";
}

std::vector<std::pair<std::string, std::string>> SplitEvaluation::caption() const {
  std::vector<std::pair<std::string, std::string>> facts = protocol_caption(evaluation_);
  if (request_.ensemble) {
    facts.emplace_back("ensemble uncertainty",
                       std::string(option_name(evaluation_.ensemble_uncertainty)));
  }
  if (!imitated_.empty()) {
    facts.emplace_back("members",
                       fmt::format("{} in the files; LL and std ratio against {} of them{}",
                                   dataset_.stored_members(),
                                   imitated_.size(),
                                   request_.ensemble ? ", ensemble row from all" : ""));
  }
  facts.emplace_back("images",
                     fmt::format("{}, {} of them with ground truth",
                                 dataset_.size(),
                                 dataset_.size() - static_cast<std::int64_t>(skipped_.size())));
  std::string names;
  for (const std::string& name : skipped_) names += (names.empty() ? ": " : ", ") + name;
  facts.emplace_back("skipped for accuracy", std::to_string(skipped_.size()) + names);
  return facts;
}

SplitResult SplitEvaluation::result() const {
  Table table;
  table.title = "Evaluation on " + split_file(config_.data, request_.split).filename().string();
  table.caption = caption();
  table.columns = columns_;
  for (const ScoreCollector& collector : collectors_) table.rows.push_back(collector.row(columns_));
  return {std::move(table), per_image_};
}

// Before the work, so that it is not done in vain.
void create_output(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory)) {
    throw IoError(directory,
                  "cannot create this folder" + (error ? " (" + error.message() + ")" : "") +
                      "; give --out a folder that can be written");
  }
}

}  // namespace

SplitResult evaluate_split(const EvaluationRequest& request,
                           const Config& config,
                           c10::Device device) {
  check_request(request, config.data);
  const c10::InferenceMode no_gradients;
  SplitEvaluation evaluation(request, config, device);
  if (!request.out.empty()) create_output(request.out);
  evaluation.run();
  return evaluation.result();
}

}  // namespace supn
