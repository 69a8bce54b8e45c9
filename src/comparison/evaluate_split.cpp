#include "supn/comparison/evaluate_split.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "supn/comparison/check_request.hpp"
#include "supn/comparison/checkpoint_model.hpp"
#include "supn/comparison/checkpoint_temperature.hpp"
#include "supn/comparison/ensemble_rows.hpp"
#include "supn/comparison/external_row.hpp"
#include "supn/comparison/read_truth.hpp"
#include "supn/comparison/score_known.hpp"
#include "supn/comparison/split_caption.hpp"
#include "supn/comparison/write_pictures.hpp"
#include "supn/data/dataset.hpp"
#include "supn/errors.hpp"
#include "supn/evaluation/depth/conditioned_rows.hpp"
#include "supn/evaluation/tables/overview.hpp"
#include "supn/evaluation/tables/score_sheet.hpp"
#include "supn/evaluation/tables/score_table.hpp"
#include "supn/evaluation/tables/verdicts.hpp"
#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

constexpr const char* kEnsemble = "ensemble";
constexpr const char* kTruth = "truth";

class SplitEvaluation {
 public:
  SplitEvaluation(const EvaluationRequest& request,
                  const ComparisonConfig& config,
                  c10::Device device,
                  const ComparisonObserver& observer);
  void run();
  SplitResult result() const;
  const CurveSheet& curves() const { return curves_; }

 private:
  void name_rows();
  void score(std::int64_t index);
  void score_model(CheckpointModel& model, const Example& example, const ImageReference& reference);
  void score_truth(const Example& example, const ImageReference& reference);
  void score_ensembles(const Example& example, const ImageReference& reference);
  void score_external(std::int64_t index, const ImageReference& reference);
  ImageReference reference_of(const Example& example, std::int64_t index);
  void keep(const std::string& row, const Frame& frame, const ImageScores& scores);
  void keep_named(const std::string& row,
                  const Frame& frame,
                  const std::vector<NamedScore>& named) {
    sheet_.keep(sheet_.row(row), frame.id(), named);
  }

  const EvaluationRequest& request_;
  const DataConfig& data_;
  const ComparisonObserver& observer_;
  EvaluationConfig evaluation_;
  KittiDataset dataset_;
  std::optional<KittiDataset> second_;
  std::vector<CheckpointModel> models_;
  std::vector<ExternalRow> external_;
  std::vector<EnsembleUncertainty> variants_;
  std::map<EnsembleFit, FittedTemperature> fit_temperatures_;  // of the truth
  ScoreSheet sheet_{score_columns()};
  std::set<std::string> named_;  // rows
  CurveSheet curves_;
  std::vector<std::int64_t> imitated_;  // members that the models imitate
  std::optional<ScoredTruth> truth_;    // of the image at hand
  std::set<std::string> scored_;        // images by name: each counts once
  std::vector<std::string> skipped_;
};

SplitEvaluation::SplitEvaluation(const EvaluationRequest& request,
                                 const ComparisonConfig& config,
                                 c10::Device device,
                                 const ComparisonObserver& observer)
    : request_(request),
      data_(config.data),
      observer_(observer),
      evaluation_(config.evaluation),
      dataset_(all_members_in(config.data, config.data.samples),
               request.split,
               contents_of(request, config.data)) {
  imitated_ = imitated_members(request, config.data, dataset_.stored_members());
  for (const std::string& checkpoint : request.checkpoints) {
    models_.emplace_back(checkpoint, config.data, device, CalibrationRule{request.calibration});
    check_quantiles(request, models_.back());
  }
  for (const std::filesystem::path& source : request.external) {
    external_.emplace_back(source, dataset_.size(), request.external_baseline);
  }
  if (!request.second_samples.empty()) {
    second_.emplace(all_members_in(config.data, request.second_samples),
                    request.split,
                    ExampleContents{.scales = 1, .image = Presence::kUnused});
  }
  const Frame& first = dataset_.frame(0);
  if (request.ensemble) {
    evaluation_.ensemble_uncertainty =
        usable_uncertainty(evaluation_, config.data, first, observer.on_warning);
  }
  if (request.ensemble_variants) variants_ = usable_variants(evaluation_, config.data, first);
  if (request.baselines) fit_temperatures_ = fit_ensemble_temperatures(config, request.calibration);
  name_rows();
}

// Names the rows in the order of printing.
void SplitEvaluation::name_rows() {
  const auto name_row = [this](const std::string& name) {
    if (!named_.insert(name).second) {
      throw ConfigError("two rows of the table would be called '" + name +
                        "'; give each checkpoint a name of its own, as NAME=DIR, and each folder "
                        "of external maps once");
    }
    sheet_.row(name);
  };
  for (const CheckpointModel& model : models_) {
    name_row(model.name());
    name_row(distance_row_name(model.name()));
    for (const std::string& row : known_rows(model.name(), request_.known, model.isotropic())) {
      name_row(row);
    }
  }
  if (request_.ensemble) name_row(kEnsemble);
  for (const EnsembleUncertainty variant : variants_) name_row(variant_row_name(variant));
  if (request_.baselines) {
    for (const auto& [name, fit] : OptionNames<EnsembleFit>::values) name_row(fit_row_name(fit));
  }
  for (const ExternalRow& row : external_) name_row(row.name());
  if (request_.truth) {
    name_row(kTruth);
    name_row(distance_row_name(kTruth));
  }
}

void SplitEvaluation::run() {
  observer_.on_image(0, dataset_.size());
  for (std::int64_t i = 0; i < dataset_.size(); ++i) {
    if (scored_.insert(dataset_.frame(i).id()).second) score(i);
    observer_.on_image(i + 1, dataset_.size());
  }
  if (skipped_.size() == scored_.size()) {
    throw ConfigError("no image of the split has ground truth that counts under protocol " +
                      std::string(option_name(evaluation_.protocol)) +
                      "; check data.root, data.depth_folders and evaluation.protocol");
  }
}

ImageReference SplitEvaluation::reference_of(const Example& example, std::int64_t index) {
  ImageReference reference;
  reference.seed = image_seed(static_cast<std::uint64_t>(evaluation_.seed), example.frame.id());
  if (!example.predictions.empty()) {
    reference.members =
        example.predictions.front().index_select(0, at::tensor(imitated_, at::kLong));
  }
  if (second_) {
    reference.second_members = second_->example(index, Augmentation()).predictions.front();
  }
  if (example.depth_m.defined()) {
    GroundTruth truth = ground_truth(example.depth_m, evaluation_.protocol);
    if (truth.count() > 0) reference.truth = std::move(truth);
  }
  if (!reference.truth) {
    observer_.on_warning(example.frame.id() +
                         ": no ground truth that counts, skipped for accuracy");
    skipped_.push_back(example.frame.id());
  }
  return reference;
}

void SplitEvaluation::score(std::int64_t index) {
  const Example example = dataset_.example(index, Augmentation());
  const ImageReference reference = reference_of(example, index);
  if (request_.truth) score_truth(example, reference);
  for (CheckpointModel& model : models_) score_model(model, example, reference);
  score_ensembles(example, reference);
  score_external(index, reference);
}

void SplitEvaluation::score_truth(const Example& example, const ImageReference& reference) {
  truth_ = supn::score_truth(read_truth(data_, example.frame), reference, evaluation_);
  keep(kTruth, example.frame, truth_->scores);
  keep_named(distance_row_name(kTruth), example.frame, distance_scores(truth_->scores));
}

void SplitEvaluation::score_model(CheckpointModel& model,
                                  const Example& example,
                                  const ImageReference& reference) {
  const StructuredGaussian gaussian = model.predict(example.image);
  ImageReference calibrated = reference;
  calibrated.truth_temperature = model.truth_factor();
  const ImageScores scores = score_gaussian(gaussian, calibrated, evaluation_);
  keep(model.name(), example.frame, scores);
  keep_named(distance_row_name(model.name()), example.frame, distance_scores(scores));
  std::vector<NamedScore> further;
  if (truth_) further = distances_from(*truth_, gaussian, scores);
  if (const std::int64_t sweeps = request_.jacobi; sweeps > 0) {
    further.emplace_back("jacobi_residual", jacobi_residual(gaussian, reference.seed, sweeps));
  }
  keep_named(model.name(), example.frame, further);
  if (request_.known.empty() || !reference.truth) return;
  for (const ConditionedRow& row : score_known(
           model, gaussian, example, reference.seed, request_, {data_, evaluation_}, observer_)) {
    keep_named(row.name, example.frame, row.scores);
  }
}

void SplitEvaluation::score_ensembles(const Example& example, const ImageReference& reference) {
  EvaluationConfig evaluation = evaluation_;
  const auto ensemble = [&](const std::string& row, EnsembleUncertainty variant) {
    evaluation.ensemble_uncertainty = variant;
    const at::Tensor& members = example.predictions.front();
    keep(row, example.frame, score_ensemble(members, example.log_scale, reference, evaluation));
  };
  if (request_.ensemble) ensemble(kEnsemble, evaluation_.ensemble_uncertainty);
  for (const EnsembleUncertainty variant : variants_) ensemble(variant_row_name(variant), variant);
  if (!request_.baselines) return;
  for (const auto& [name, fit] : OptionNames<EnsembleFit>::values) {
    keep(fit_row_name(fit),
         example.frame,
         score_fit(fit, reference, fit_temperatures_[fit].value, evaluation_));
  }
}

void SplitEvaluation::score_external(std::int64_t index, const ImageReference& reference) {
  if (!reference.truth) return;
  const Frame& frame = dataset_.frame(index);
  for (ExternalRow& row : external_) {
    keep(row.name(),
         frame,
         row.score({frame, index}, *reference.truth, evaluation_, observer_.on_warning));
  }
}

void SplitEvaluation::keep(const std::string& row, const Frame& frame, const ImageScores& scores) {
  keep_named(row, frame, named_scores(scores));
  curves_.add(row, scores.curves);
}

SplitResult SplitEvaluation::result() const {
  SplitFacts facts{.stored_members = dataset_.stored_members(),
                   .imitated_members = static_cast<std::int64_t>(imitated_.size()),
                   .images = std::ssize(scored_),
                   .skipped = skipped_,
                   .fit_temperatures = fit_temperatures_};
  std::vector<JudgedModel> judged;
  for (const CheckpointModel& model : models_) {
    facts.temperatures.push_back({model.name(), model.temperature(), model.truth_temperature()});
    judged.push_back({model.name(), model.isotropic()});
  }
  for (const ExternalRow& row : external_) facts.external.emplace_back(row.name(), row.facts());
  Table table;
  table.title = "Evaluation on " + split_file(data_, request_.split).filename().string();
  table.caption = split_caption(request_, evaluation_, facts);
  table.columns = sheet_.columns();
  table.rows = sheet_.rows();
  table.overview = score_overview();
  const auto truth = request_.truth ? std::optional<std::string>(kTruth) : std::nullopt;
  add_verdicts(sheet_, judged, request_.known, truth, table);
  return {std::move(table),
          sheet_.per_image_csv(),
          {{"intervals.csv", sheet_.intervals_csv()},
           {"differences.csv", sheet_.differences_csv()},
           {"curves.csv", curves_.csv()}}};
}

}  // namespace

SplitResult evaluate_split(const EvaluationRequest& request,
                           const ComparisonConfig& config,
                           c10::Device device,
                           const ComparisonObserver& observer) {
  check_request(request, config.data);
  const c10::InferenceMode no_gradients;
  SplitEvaluation evaluation(request, config, device, observer);
  evaluation.run();
  SplitResult result = evaluation.result();
  if (!request.out.empty()) {
    write_split_result(result, request.out);
    write_pictures(evaluation.curves(), request.out);
  }
  return result;
}

}  // namespace supn
