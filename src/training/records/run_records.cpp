#include "training/records/run_records.hpp"

#include <utility>

#include "supn/io/image.hpp"

namespace supn {

RunRecords::RunRecords(const std::filesystem::path& directory,
                       const TensorboardConfig& config,
                       const TrainingProgress& finished)
    : config_(config), log_(directory, finished) {
  if (config_.every == 0) return;
  events_.emplace(directory / "tensorboard");
  // Takes back what a run that was killed before it could save had written.
  events_->write_restart(finished.finished_steps + 1);
  events_->flush();
}

void RunRecords::write_step(const TrainedStep& step, const TrainingProgress& before) {
  log_.write_step(step.report, before);
  const std::int64_t finished_steps = before.finished_steps + 1;
  const bool is_due = events_ && (finished_steps % config_.every == 0 || finished_steps == 1);
  if (is_due) write_curves(step, finished_steps);
}

void RunRecords::write_curves(const TrainedStep& step, std::int64_t finished_steps) {
  const StepReport& report = step.report;
  const bool warms_up = report.stage == Stage::kWarmUp;
  const auto curve = [&](const std::string& tag, double value) {
    events_->write_scalar({tag, finished_steps}, value);
  };
  curve("loss/total", report.loss);
  for (std::size_t scale = 0; scale < report.terms.size(); ++scale) {
    curve((warms_up ? "l1/scale_" : "nll/scale_") + std::to_string(scale), report.terms[scale]);
  }
  if (!warms_up) {
    curve("loss/std_match", report.std_match);
    curve("loss/energy_match", report.energy_match);
    curve("loss/variogram_match", report.variogram_match);
    curve("loss/mean_l1", report.mean_l1);
    curve("train/residual_variance", report.residual_variance);
    for (std::size_t level = 0; level < report.level_variances.size(); ++level) {
      curve("train/residual_variance_level_" + std::to_string(level),
            report.level_variances[level]);
    }
  }
  curve("optimizer/gradient_norm", report.gradient_norm);
  curve("optimizer/learning_rate", report.learning_rate);
  curve("speed/images_per_second", static_cast<double>(step.images) / step.seconds);
  curve("speed/waiting", step.waiting_seconds / step.seconds);
  events_->flush();
}

void RunRecords::write_epoch(const EpochReport& report, std::int64_t finished_steps) {
  log_.write_epoch(report);
  if (!events_ || !report.validation) return;
  const ValidationReport& validation = *report.validation;
  const auto curve = [&](const std::string& name, double value) {
    events_->write_scalar({"val/" + name, finished_steps}, value);
  };
  for (std::size_t scale = 0; scale < validation.log_likelihood.size(); ++scale) {
    curve("nll_scale_" + std::to_string(scale), -validation.log_likelihood[scale]);
  }
  curve("mean_l1", validation.mean_l1);
  if (validation.std_ratio) curve("std_ratio", validation.std_ratio->median);
  if (validation.std_ratio_about_mean) {
    curve("std_ratio_about_mean", validation.std_ratio_about_mean->median);
  }
  if (validation.texture_ratio) {
    curve("roughness_ratio", validation.texture_ratio->roughness);
    curve("length_ratio_rows", validation.texture_ratio->length_rows);
    curve("length_ratio_columns", validation.texture_ratio->length_columns);
  }
  if (validation.abs_rel) curve("abs_rel", *validation.abs_rel);
  if (validation.factor) {
    const FactorStatistics& factor = *validation.factor;
    curve("residual_variance", factor.residual_variance);
    for (std::size_t level = 0; level < factor.levels.size(); ++level) {
      const std::string suffix = "_level_" + std::to_string(level);
      curve("log_likelihood" + suffix, factor.levels[level].log_likelihood);
      curve("residual_variance" + suffix, factor.levels[level].residual_variance);
    }
    curve("coupled_share", factor.coupled_share);
    curve("lowest_phi", factor.lowest_phi);
    curve("highest_phi", factor.highest_phi);
    for (const auto& [name, histogram] : {std::pair{"factor/phi", &factor.phi},
                                          {"factor/psi", &factor.psi},
                                          {"factor/rho", &factor.rho}}) {
      if (histogram->limits.empty()) continue;  // radius 0 has no ψ
      events_->write_histogram({name, finished_steps}, *histogram);
    }
  }
  events_->flush();
}

void RunRecords::write_pictures(const std::string& image,
                                const std::vector<Picture>& pictures,
                                std::int64_t finished_steps) {
  for (const Picture& picture : pictures) {
    events_->write_image({picture.name + "/" + image, finished_steps},
                         {picture.rgb.size(0), picture.rgb.size(1)},
                         encoded_png(picture.rgb));
  }
  events_->flush();
}

}  // namespace supn
