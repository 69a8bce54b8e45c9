#include "run_directory.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "supn/errors.hpp"

namespace supn {
namespace {

using Json = nlohmann::ordered_json;

// Not finite is written as null; what was not finite was not plausible either.
double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

Json best_json(const BestEpoch& best) {
  const ValidationReport& report = best.report;
  Json json{{"epoch", best.epoch},
            {"images", report.images},
            {"mean_l1", report.mean_l1},
            {"log_likelihood", report.log_likelihood}};
  if (report.std_ratio) {
    const SpreadRatio& ratio = *report.std_ratio;
    json["std_ratio"] = {{"low", ratio.low}, {"median", ratio.median}, {"high", ratio.high}};
  }
  if (report.abs_rel) json["abs_rel"] = *report.abs_rel;
  return json;
}

BestEpoch best_from_json(const Json& json) {
  BestEpoch best;
  best.epoch = json.at("epoch").get<std::int64_t>();
  best.report.images = json.at("images").get<std::int64_t>();
  best.report.mean_l1 = number(json.at("mean_l1"));
  for (const Json& value : json.at("log_likelihood")) {
    best.report.log_likelihood.push_back(number(value));
  }
  if (json.contains("std_ratio")) {
    const Json& ratio = json.at("std_ratio");
    best.report.std_ratio =
        SpreadRatio{number(ratio.at("low")), number(ratio.at("median")), number(ratio.at("high"))};
  }
  if (json.contains("abs_rel")) best.report.abs_rel = number(json.at("abs_rel"));
  return best;
}

}  // namespace

std::string to_json(const RunState& state) {
  Json json{{"finished_epochs", state.progress.finished_epochs},
            {"finished_steps", state.progress.finished_steps}};
  if (state.best) json["best"] = best_json(*state.best);
  return json.dump(2) + '\n';
}

RunState run_state_from_json(const std::string& text, const std::filesystem::path& file) {
  try {
    const Json json = Json::parse(text);
    RunState state;
    state.progress.finished_epochs = json.at("finished_epochs").get<std::int64_t>();
    state.progress.finished_steps = json.at("finished_steps").get<std::int64_t>();
    if (json.contains("best")) state.best = best_from_json(json.at("best"));
    return state;
  } catch (const nlohmann::json::exception& error) {
    throw IoError(file,
                  std::string("is not the progress of a training run (") + error.what() +
                      "); start from another checkpoint");
  }
}

RunDirectory::RunDirectory(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (directory_.empty()) {
    throw ConfigError(
        "training.output: not set; give the run's directory in the configuration or with --set "
        "training.output=DIR");
  }
}

void RunDirectory::require_free() const {
  // metrics.jsonl alone is what an unfinished first epoch left behind: nothing is lost with it.
  for (const auto& sign : {last(), best()}) {
    if (!std::filesystem::exists(sign)) continue;
    throw ConfigError("training.output: " + directory_.string() + " already holds a run (" +
                      sign.filename().string() +
                      "); go on with it by --resume, or choose another directory with --set "
                      "training.output=DIR");
  }
}

void RunDirectory::create() const {
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (!error && std::filesystem::is_directory(directory_)) return;
  throw IoError(directory_,
                "cannot be created (" + (error ? error.message() : "it is not a directory") +
                    "); choose a writable place with --set training.output=DIR");
}

void RunDirectory::require_run() const {
  if (std::filesystem::is_directory(last())) return;
  throw ConfigError("training.output: " + directory_.string() +
                    " holds no finished epoch to go on from (no last/); start without --resume");
}

}  // namespace supn
