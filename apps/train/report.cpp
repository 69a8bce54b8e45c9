#include "train/report.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "common/interrupt.hpp"
#include "common/run_app.hpp"

namespace supn {
namespace {

void report_weights(const WeightReport& weights) {
  spdlog::info(
      "initial weights: {} loaded, {} missing (the SUPN decoder's always are), {} "
      "unexpected, {} of another shape",
      weights.loaded.size(),
      weights.missing.size(),
      weights.unexpected.size(),
      weights.mismatched.size());
  spdlog::debug("missing: {}", fmt::join(weights.missing, " "));
  spdlog::debug("unexpected: {}", fmt::join(weights.unexpected, " "));
  if (!weights.mismatched.empty()) {
    spdlog::warn("of another shape, not loaded: {}", fmt::join(weights.mismatched, " "));
  }
}

void report_changes(const std::vector<OptionChange>& changes) {
  const std::string harmless = changes_text(changes, ChangeEffect::kNone);
  const std::string telling = changes_text(changes, ChangeEffect::kResult);
  if (!harmless.empty()) spdlog::info("changed since the checkpoint: {}", harmless);
  if (telling.empty()) return;
  spdlog::warn(
      "changed since the checkpoint, so that what follows is not what never stopping would "
      "give: {}",
      telling);
}

std::string train_text(const EpochReport& report) {
  if (report.stage == Stage::kWarmUp) {
    return fmt::format("warm-up, train L1 {:.4f}", report.train_terms.front());
  }
  return fmt::format("train LL {:.3f}", -report.train_terms.front());
}

// Lists the finest level first, the coarsest grid last.
std::string levels_text(const std::vector<LevelStatistics>& levels) {
  std::vector<double> likelihoods;
  std::vector<double> variances;
  for (const LevelStatistics& level : levels) {
    likelihoods.push_back(level.log_likelihood);
    variances.push_back(level.residual_variance);
  }
  return fmt::format(
      ", LL by level {:.2f} (z2 {:.2f})", fmt::join(likelihoods, " "), fmt::join(variances, " "));
}

std::string validation_text(const ValidationReport& report) {
  std::string text;
  if (!report.log_likelihood.empty()) {
    text += fmt::format(", val LL {:.3f} nats/pixel/sample (scales {:.2f})",
                        report.log_likelihood.front(),
                        fmt::join(report.log_likelihood, " "));
  }
  if (report.std_ratio) {
    text += fmt::format(", std ratio {:.2f} (5-95 %: {:.2f}-{:.2f})",
                        report.std_ratio->median,
                        report.std_ratio->low,
                        report.std_ratio->high);
  }
  if (report.std_ratio_about_mean) {
    text += fmt::format(", about the mean {:.2f} ({:.2f}-{:.2f})",
                        report.std_ratio_about_mean->median,
                        report.std_ratio_about_mean->low,
                        report.std_ratio_about_mean->high);
  }
  if (report.texture_ratio) {
    text += fmt::format(", roughness ratio {:.2f}, length ratios {:.2f} along rows {:.2f} columns",
                        report.texture_ratio->roughness,
                        report.texture_ratio->length_rows,
                        report.texture_ratio->length_columns);
  }
  if (report.factor && !report.factor->levels.empty()) text += levels_text(report.factor->levels);
  text += fmt::format(", val L1 {:.4f}", report.mean_l1);
  if (report.abs_rel) text += fmt::format(", AbsRel {:.3f}", *report.abs_rel);
  return text;
}

std::string step_text(const TrainedStep& step) {
  const char* term = step.report.stage == Stage::kWarmUp ? "L1" : "NLL";
  return fmt::format("epoch {}, {} {:.3f}, {:.1f} images/s",
                     step.epoch,
                     term,
                     step.report.terms.front(),
                     static_cast<double>(step.images) / step.seconds);
}

}  // namespace

void TrainReport::on_start(const RunPlan& plan) {
  plan_ = plan;
  spdlog::info("{} training and {} validation images, {} epochs of {} steps",
               plan.train_images,
               plan.validation_images,
               plan.epochs,
               plan.steps_per_epoch);
  if (plan.finished.finished_steps > 0) {
    const std::int64_t begun =
        plan.finished.finished_steps - plan.finished.finished_epochs * plan.steps_per_epoch;
    spdlog::info(
        "going on after epoch {} and {} steps of the next", plan.finished.finished_epochs, begun);
  }
  report_changes(plan.changes);
  if (plan.initial_weights) report_weights(*plan.initial_weights);
  progress_ = std::make_unique<Progress>("train", plan.epochs * plan.steps_per_epoch);
  progress_->skip(plan.finished.finished_steps);
}

Continuation TrainReport::on_step(const TrainedStep& step) {
  try {
    progress_->advance(1, step_text(step));
  } catch (const Interrupted&) {
    return Continuation::kStop;  // not at once: the run is saved first
  }
  return Continuation::kGoOn;
}

Continuation TrainReport::on_validated(std::int64_t) {
  return interrupt_requested() ? Continuation::kStop : Continuation::kGoOn;
}

void TrainReport::on_epoch(const EpochReport& report) {
  spdlog::info("epoch {}/{} ({:.0f} s): {}{}",
               report.epoch,
               plan_.epochs,
               report.seconds,
               train_text(report),
               report.validation ? validation_text(*report.validation) : "");
  if (report.best) spdlog::info("epoch {} is the best so far", report.epoch);
  if (report.epoch == plan_.epochs) progress_->finish();
}

void TrainReport::on_warning(const std::string& message) { spdlog::warn("{}", message); }

}  // namespace supn
