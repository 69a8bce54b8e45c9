#include "training/run/run_state.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"

namespace supn {
namespace {

using Json = nlohmann::ordered_json;

// A count; converting another number would be undefined where it is too large.
std::int64_t count(const Json& json) {
  if (!json.is_number_integer() || json.get<std::int64_t>() < 0) {
    throw Json::other_error::create(501, "expected a count, found " + json.dump(), &json);
  }
  return json.get<std::int64_t>();
}

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
  const auto add = [&](const char* key, const std::optional<SpreadRatio>& ratio) {
    if (!ratio) return;
    json[key] = {{"low", ratio->low}, {"median", ratio->median}, {"high", ratio->high}};
  };
  add("std_ratio", report.std_ratio);
  add("std_ratio_about_mean", report.std_ratio_about_mean);
  if (report.abs_rel) json["abs_rel"] = *report.abs_rel;
  return json;
}

std::optional<SpreadRatio> spread_from_json(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  const Json& ratio = json.at(key);
  return SpreadRatio{number(ratio.at("low")), number(ratio.at("median")), number(ratio.at("high"))};
}

BestEpoch best_from_json(const Json& json) {
  BestEpoch best;
  best.epoch = count(json.at("epoch"));
  best.report.images = count(json.at("images"));
  best.report.mean_l1 = number(json.at("mean_l1"));
  for (const Json& value : json.at("log_likelihood")) {
    best.report.log_likelihood.push_back(number(value));
  }
  best.report.std_ratio = spread_from_json(json, "std_ratio");
  best.report.std_ratio_about_mean = spread_from_json(json, "std_ratio_about_mean");
  if (json.contains("abs_rel")) best.report.abs_rel = number(json.at("abs_rel"));
  return best;
}

// Doubles are written with all their digits: the sums go on bit for bit.
Json sums_json(const EpochSums& sums) {
  return {{"steps", sums.steps},
          {"loss", sums.loss},
          {"terms", sums.terms},
          {"largest_gradient_norm", sums.largest_gradient_norm},
          {"residual_variance", sums.residual_variance},
          {"level_variances", sums.level_variances},
          {"seconds", sums.seconds},
          {"waiting_seconds", sums.waiting_seconds}};
}

EpochSums sums_from_json(const Json& json) {
  return {.steps = count(json.at("steps")),
          .loss = json.at("loss").get<double>(),
          .terms = json.at("terms").get<std::vector<double>>(),
          .largest_gradient_norm = json.at("largest_gradient_norm").get<double>(),
          .residual_variance = json.at("residual_variance").get<double>(),
          .level_variances = json.value("level_variances", std::vector<double>()),
          .seconds = json.at("seconds").get<double>(),
          .waiting_seconds = json.at("waiting_seconds").get<double>()};
}

Json mark_json(const SplitMark& mark) { return {{"images", mark.images}, {"hash", mark.hash}}; }

SplitMark mark_from_json(const Json& json) {
  return {count(json.at("images")), json.at("hash").get<std::string>()};
}

RunState parse(const std::string& text) {
  const Json json = Json::parse(text);
  RunState state;
  state.progress.finished_epochs = count(json.at("finished_epochs"));
  state.progress.finished_steps = count(json.at("finished_steps"));
  if (json.contains("epoch")) state.epoch = sums_from_json(json.at("epoch"));
  if (json.contains("best")) state.best = best_from_json(json.at("best"));
  if (json.contains("train")) state.train = mark_from_json(json.at("train"));
  if (json.contains("val")) state.validation = mark_from_json(json.at("val"));
  return state;
}

}  // namespace

void EpochSums::add(const StepReport& step) {
  ++steps;
  loss += step.loss;
  terms.resize(step.terms.size(), 0.0);
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] += step.terms[i];
  largest_gradient_norm = std::max(largest_gradient_norm, step.gradient_norm);
  residual_variance += step.residual_variance;
  level_variances.resize(step.level_variances.size(), 0.0);
  for (std::size_t i = 0; i < level_variances.size(); ++i) {
    level_variances[i] += step.level_variances[i];
  }
}

// Hashes with FNV-1a of 64 bits.
SplitMark mark_of(const KittiDataset& dataset) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const Frame& frame : dataset.frames()) {
    for (const char c : frame.id() + '\n') {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return {dataset.size(), text};
}

std::string to_json(const RunState& state) {
  Json json{{"finished_epochs", state.progress.finished_epochs},
            {"finished_steps", state.progress.finished_steps}};
  if (state.epoch.steps > 0) json["epoch"] = sums_json(state.epoch);
  if (state.best) json["best"] = best_json(*state.best);
  if (state.train) json["train"] = mark_json(*state.train);
  if (state.validation) json["val"] = mark_json(*state.validation);
  return json.dump(2) + '\n';
}

RunState run_state_from_json(const std::string& text, const std::filesystem::path& file) {
  try {
    return parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw IoError(file,
                  "is not the progress of a training run (" + excerpt(error.what(), 200) +
                      "); start from another checkpoint");
  }
}

}  // namespace supn
