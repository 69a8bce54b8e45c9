#include "training/run/run_state.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "supn/errors.hpp"
#include "supn/serialization/json.hpp"

namespace supn {
namespace {

std::int64_t count_at(const Json& json, std::string_view key) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return value_in<std::int64_t>(member(json, key), key, 0, kMost);
}

// Not finite is written as null; what was not finite was not plausible either.
double score_of(const Json& value, std::string_view name) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value_of<double>(value, name);
}

double score_at(const Json& json, std::string_view key) { return score_of(member(json, key), key); }

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
  const Json* ratio = find_member(json, key);
  if (ratio == nullptr) return std::nullopt;
  return SpreadRatio{score_at(*ratio, "low"), score_at(*ratio, "median"), score_at(*ratio, "high")};
}

BestEpoch best_from_json(const Json& json) {
  BestEpoch best;
  best.epoch = count_at(json, "epoch");
  best.report.images = count_at(json, "images");
  best.report.mean_l1 = score_at(json, "mean_l1");
  for (const Json& value : member(json, "log_likelihood")) {
    best.report.log_likelihood.push_back(score_of(value, "log_likelihood"));
  }
  best.report.std_ratio = spread_from_json(json, "std_ratio");
  best.report.std_ratio_about_mean = spread_from_json(json, "std_ratio_about_mean");
  if (const Json* abs_rel = find_member(json, "abs_rel")) {
    best.report.abs_rel = score_of(*abs_rel, "abs_rel");
  }
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
  const Json* level_variances = find_member(json, "level_variances");
  return {.steps = count_at(json, "steps"),
          .loss = value_at<double>(json, "loss"),
          .terms = value_at<std::vector<double>>(json, "terms"),
          .largest_gradient_norm = value_at<double>(json, "largest_gradient_norm"),
          .residual_variance = value_at<double>(json, "residual_variance"),
          .level_variances = level_variances == nullptr ? std::vector<double>()
                                                        : value_of<std::vector<double>>(
                                                              *level_variances, "level_variances"),
          .seconds = value_at<double>(json, "seconds"),
          .waiting_seconds = value_at<double>(json, "waiting_seconds")};
}

Json mark_json(const SplitMark& mark) { return {{"images", mark.images}, {"hash", mark.hash}}; }

SplitMark mark_from_json(const Json& json) {
  return {count_at(json, "images"), value_at<std::string>(json, "hash")};
}

RunState parse(const std::string& text) {
  const Json json = parse_json(text);
  RunState state;
  state.progress.finished_epochs = count_at(json, "finished_epochs");
  state.progress.finished_steps = count_at(json, "finished_steps");
  if (const Json* epoch = find_member(json, "epoch")) state.epoch = sums_from_json(*epoch);
  if (const Json* best = find_member(json, "best")) state.best = best_from_json(*best);
  if (const Json* train = find_member(json, "train")) state.train = mark_from_json(*train);
  if (const Json* val = find_member(json, "val")) state.validation = mark_from_json(*val);
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
  return json_text(json, 2) + '\n';
}

RunState run_state_from_json(const std::string& text, const std::filesystem::path& file) {
  try {
    return parse(text);
  } catch (const JsonError& error) {
    throw IoError(file,
                  std::string("is not the progress of a training run (") + error.what() +
                      "); start from another checkpoint");
  }
}

}  // namespace supn
