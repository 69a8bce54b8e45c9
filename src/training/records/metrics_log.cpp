#include "supn/training/metrics_log.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/write_failure.hpp"
#include "training/records/metrics_table.hpp"

namespace supn {
namespace {

constexpr std::uintmax_t kLargestLog = std::uintmax_t{1} << 34U;

const char* stage_name(Stage stage) { return stage == Stage::kWarmUp ? "warm_up" : "likelihood"; }

std::vector<double> negated(std::vector<double> values) {
  for (double& value : values) value = -value;
  return values;
}

void add_spread(Json& json, const char* key, const std::optional<SpreadRatio>& ratio) {
  if (!ratio) return;
  json[key] = {{"low", ratio->low}, {"median", ratio->median}, {"high", ratio->high}};
}

Json validation_json(const ValidationReport& report) {
  Json json{{"images", report.images}, {"mean_l1", report.mean_l1}};
  if (!report.log_likelihood.empty()) json["log_likelihood"] = report.log_likelihood;
  add_spread(json, "std_ratio", report.std_ratio);
  add_spread(json, "std_ratio_about_mean", report.std_ratio_about_mean);
  if (report.texture_ratio) {
    json["texture_ratio"] = {{"roughness", report.texture_ratio->roughness},
                             {"length_rows", report.texture_ratio->length_rows},
                             {"length_columns", report.texture_ratio->length_columns}};
  }
  if (report.factor) {
    json["residual_variance"] = report.factor->residual_variance;
    for (const LevelStatistics& level : report.factor->levels) {
      json["levels"].push_back({{"log_likelihood", level.log_likelihood},
                                {"residual_variance", level.residual_variance}});
    }
    json["coupled_share"] = report.factor->coupled_share;
    json["phi"] = {{"lowest", report.factor->lowest_phi}, {"highest", report.factor->highest_phi}};
  }
  if (report.abs_rel) json["abs_rel"] = *report.abs_rel;
  return json;
}

bool is_kind(const Json& line, const char* kind) {
  return line.contains("kind") && line["kind"] == kind;
}

// A value that is no number is compared by its type, which is no error.
bool is_finished(const Json& line, const char* key, std::int64_t finished) {
  return !line.contains(key) || line[key] <= finished;
}

bool is_kept(const Json& line, const TrainingProgress& finished) {
  if (!line.is_object()) return false;
  return is_kind(line, "step") ? is_finished(line, "step", finished.finished_steps)
                               : is_finished(line, "epoch", finished.finished_epochs);
}

std::vector<Json> kept_lines(const std::filesystem::path& file, const TrainingProgress& finished) {
  std::istringstream stream(read_text(file, kLargestLog));
  std::vector<Json> kept;
  std::string line;
  for (std::int64_t number = 1; std::getline(stream, line); ++number) {
    try {
      Json json = parse_json(line);
      if (is_kept(json, finished)) kept.push_back(std::move(json));
    } catch (const JsonError& error) {
      // The last line may have been cut off by a crash; it is of a step that was not saved.
      if (stream.peek() == std::istringstream::traits_type::eof()) break;
      throw IoError(file,
                    "line " + std::to_string(number) + " is not JSON (" + error.what() +
                        "); mend or move the file away to go on");
    }
  }
  return kept;
}

}  // namespace

MetricsLog::MetricsLog(const std::filesystem::path& directory, const TrainingProgress& finished)
    : file_(directory / "metrics.jsonl"),
      table_file_(directory / "metrics.csv"),
      table_(metrics_table_header()) {
  std::error_code error;
  if (is_there(file_) && std::filesystem::file_size(file_, error) > 0) {
    std::string text;
    for (const Json& line : kept_lines(file_, finished)) {
      text += json_text(line) + '\n';
      if (is_kind(line, "epoch")) table_ += metrics_table_row(line);
    }
    write_file_atomically(file_, text);
  }
  stream_.open(file_, std::ios::app);
  if (!stream_) fail_to_write(file_);
}

void MetricsLog::write_step(const StepReport& step, const TrainingProgress& before) {
  Json json{{"kind", "step"},
            {"epoch", before.finished_epochs + 1},
            {"step", before.finished_steps + 1},
            {"stage", stage_name(step.stage)},
            {"loss", step.loss},
            {"terms", step.terms},
            {"std_match", step.std_match},
            {"energy_match", step.energy_match},
            {"variogram_match", step.variogram_match},
            {"mean_l1", step.mean_l1},
            {"gradient_norm", step.gradient_norm},
            {"residual_variance", step.residual_variance},
            {"learning_rate", step.learning_rate}};
  if (!step.level_variances.empty()) json["level_variances"] = step.level_variances;
  write_line(json_text(json));
}

void MetricsLog::write_epoch(const EpochReport& epoch) {
  Json train{{"loss", epoch.train_loss}};
  if (epoch.stage == Stage::kWarmUp) {
    train["l1"] = epoch.train_terms;
  } else {
    train["log_likelihood"] = negated(epoch.train_terms);
  }
  train["largest_gradient_norm"] = epoch.largest_gradient_norm;
  if (epoch.stage == Stage::kLikelihood) train["residual_variance"] = epoch.residual_variance;
  if (!epoch.level_variances.empty()) train["level_variances"] = epoch.level_variances;
  Json json{{"kind", "epoch"},
            {"epoch", epoch.epoch},
            {"stage", stage_name(epoch.stage)},
            {"steps", epoch.steps},
            {"seconds", epoch.seconds},
            {"images_per_second", epoch.images_per_second},
            {"waiting", epoch.waiting},
            {"train", train}};
  if (epoch.validation) json["val"] = validation_json(*epoch.validation);
  json["best"] = epoch.best;
  write_line(json_text(json));
  table_ += metrics_table_row(json);
  write_file_atomically(table_file_, table_);
}

void MetricsLog::write_line(const std::string& line) {
  stream_ << line << '\n' << std::flush;
  if (!stream_) fail_to_write(file_);
}

}  // namespace supn
