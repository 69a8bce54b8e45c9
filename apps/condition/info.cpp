#include "condition/info.hpp"

#include <nlohmann/json.hpp>

#include "supn/serialization/json.hpp"

namespace supn {
namespace {

Json scores_json(const std::optional<HeldBackScores>& scores) {
  if (!scores) return nullptr;
  return {{"points", scores->points},
          {"abs_rel", scores->accuracy.abs_rel},
          {"rmse_m", scores->accuracy.rmse},
          {"a1", scores->accuracy.a1},
          {"coverage_50", scores->coverage_50},
          {"coverage_90", scores->coverage_90},
          {"deviation_rms", scores->deviation_rms},
          {"log_density_nats_per_point", scores->log_density}};
}

Json gated_json(const ConditionedImage& result) {
  const std::int64_t width = result.prior.mean.size(1);
  Json points = Json::array();
  for (std::int64_t i = 0; i < result.gated.count(); ++i) {
    const auto pixel = result.gated.pixels[i].item<std::int64_t>();
    points.push_back({{"x", pixel % width},
                      {"y", pixel / width},
                      {"depth_m", result.gated.depth_m[i].item<double>()},
                      {"distance", result.gate_distances[i].item<double>()}});
  }
  return points;
}

Json points_json(const ConditionedImage& result, const ConditionArguments& arguments) {
  const ConditionOptions& options = arguments.condition;
  Json json = {{"measurements_on_the_maps", result.measurements},
               {"known", result.known.count()},
               {"selection", option_name(options.selection)},
               {"merged", result.known.merged},
               {"out_of_range", result.out_of_range},
               {"noise_m", options.noise.metres},
               {"noise_relative", options.noise.relative}};
  json["own_std"] = result.known.std_m.defined();
  if (arguments.lidar_beams) json["lidar_beams"] = *arguments.lidar_beams;
  json["gate"] = options.gate ? Json(*options.gate) : Json(nullptr);
  json["gated"] = gated_json(result);
  return json;
}

Json algorithm_json(const ConditioningReport& report) {
  return {{"method", option_name(report.method)},
          {"iterations", report.iterations},
          {"relative_residual", report.relative_residual},
          {"converged", report.converged},
          {"note", report.note}};
}

}  // namespace

std::string condition_info(const ConditionedImage& result,
                           const InputImage& image,
                           const ConditionArguments& arguments,
                           const CalibrationFacts& calibration) {
  const OutputQuantity output{arguments.quantity, result.scale.scale};
  Json json;
  json["image"] = image.path.string();
  json["checkpoint"] = arguments.source.checkpoint.string();
  json["gaussian"] = arguments.source.gaussian.string();
  json["quantity"] = option_name(output.quantity);
  json["unit"] = unit_of(output);
  json["scale"] = result.scale.scale;
  json["scale_rule"] = result.scale.reason;
  if (result.log_scale) {
    json["log_scale"] = {{"prior_std", *arguments.condition.scale_std},
                         {"mean", result.log_scale->mean},
                         {"std", result.log_scale->std}};
  }
  json["calibration"] = calibration.on;
  json["calibration_text"] = calibration.text;
  json["height"] = result.prior.mean.size(0);
  json["width"] = result.prior.mean.size(1);
  json["seed"] = arguments.seed;
  json["seed_id"] = image.seed_id;
  json["samples"] = result.samples.size(0);
  json["std"] = result.posterior.variance.defined() ? "exact" : "none: pcg gives no variance";
  json["points"] = points_json(result, arguments);
  json["conditioning"] = algorithm_json(result.report);
  json["log_evidence_nats"] = result.log_evidence ? Json(*result.log_evidence) : Json(nullptr);
  json["protocol"] = option_name(arguments.condition.protocol);
  json["held_back_before"] = scores_json(result.before);
  json["held_back_after"] = scores_json(result.after);
  for (const auto& [rival, scores] : result.rivals) {
    json["held_back_rivals_abs_rel"][std::string(option_name(rival))] = scores.accuracy.abs_rel;
  }
  return json_text(json, 2) + '\n';
}

}  // namespace supn
