#include "supn/training/metrics_log.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {
namespace {

using Json = nlohmann::ordered_json;

const char* stage_name(Stage stage) { return stage == Stage::kWarmUp ? "warm_up" : "likelihood"; }

std::vector<double> negated(std::vector<double> values) {
  for (double& value : values) value = -value;
  return values;
}

Json validation_json(const ValidationReport& report) {
  Json json{{"images", report.images}, {"mean_l1", report.mean_l1}};
  if (!report.log_likelihood.empty()) json["log_likelihood"] = report.log_likelihood;
  if (report.std_ratio) {
    json["std_ratio"] = {{"low", report.std_ratio->low},
                         {"median", report.std_ratio->median},
                         {"high", report.std_ratio->high}};
  }
  if (report.abs_rel) json["abs_rel"] = *report.abs_rel;
  return json;
}

std::string kept_lines(const std::filesystem::path& file, std::int64_t finished_epochs) {
  std::ifstream stream(file);
  if (!stream) throw IoError(file, "cannot be read");
  std::string kept;
  std::string line;
  for (std::int64_t number = 1; std::getline(stream, line); ++number) {
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    // The last line may have been cut off by a crash; it belongs to an unfinished epoch.
    if (json.is_discarded()) {
      if (stream.peek() == std::ifstream::traits_type::eof()) break;
      throw IoError(
          file,
          "line " + std::to_string(number) + " is not JSON; mend or move the file away to go on");
    }
    if (json.is_object() && json.value("epoch", std::int64_t{0}) <= finished_epochs) {
      kept += line + '\n';
    }
  }
  return kept;
}

}  // namespace

MetricsLog::MetricsLog(const std::filesystem::path& file, std::int64_t finished_epochs)
    : file_(file) {
  if (std::filesystem::exists(file)) write_file_atomically(file, kept_lines(file, finished_epochs));
  stream_.open(file, std::ios::app);
  if (!stream_) throw IoError(file, "cannot be written; check that its directory is writable");
}

void MetricsLog::write_step(const StepReport& step, const TrainingProgress& before) {
  const Json json{{"kind", "step"},
                  {"epoch", before.finished_epochs + 1},
                  {"step", before.finished_steps + 1},
                  {"stage", stage_name(step.stage)},
                  {"loss", step.loss},
                  {"terms", step.terms},
                  {"std_match", step.std_match},
                  {"energy_match", step.energy_match},
                  {"gradient_norm", step.gradient_norm},
                  {"learning_rate", step.learning_rate}};
  write_line(json.dump());
}

void MetricsLog::write_epoch(const EpochReport& epoch) {
  Json train{{"loss", epoch.train_loss}};
  if (epoch.stage == Stage::kWarmUp) {
    train["l1"] = epoch.train_terms;
  } else {
    train["log_likelihood"] = negated(epoch.train_terms);
  }
  train["largest_gradient_norm"] = epoch.largest_gradient_norm;
  Json json{{"kind", "epoch"},
            {"epoch", epoch.epoch},
            {"stage", stage_name(epoch.stage)},
            {"steps", epoch.steps},
            {"seconds", epoch.seconds},
            {"train", train}};
  if (epoch.validation) json["val"] = validation_json(*epoch.validation);
  json["best"] = epoch.best;
  write_line(json.dump());
}

void MetricsLog::write_line(const std::string& line) {
  stream_ << line << '\n' << std::flush;
  if (!stream_) throw IoError(file_, "cannot be written; is the disk full?");
}

}  // namespace supn
