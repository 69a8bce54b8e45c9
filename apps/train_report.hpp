// What the terminal shows of a training run: a progress bar over all steps, and each epoch's
// result.
#pragma once

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <cstdint>
#include <memory>
#include <string>

#include "common/progress.hpp"
#include "common/run_app.hpp"
#include "supn/training/run.hpp"

namespace supn {

class TrainReport : public TrainingObserver {
 public:
  void on_start(const RunPlan& plan) override {
    plan_ = plan;
    spdlog::info("{} training and {} validation images, {} epochs of {} steps",
                 plan.train_images,
                 plan.validation_images,
                 plan.epochs,
                 plan.steps_per_epoch);
    if (plan.finished_epochs > 0) spdlog::info("going on after epoch {}", plan.finished_epochs);
    if (plan.initial_weights) report_weights(*plan.initial_weights);
    progress_ = std::make_unique<Progress>("train", plan.epochs * plan.steps_per_epoch);
    progress_->skip(plan.finished_epochs * plan.steps_per_epoch);
  }

  void on_step(const StepReport& report, std::int64_t epoch, std::int64_t) override {
    progress_->advance(1, fmt::format("epoch {}, loss {:.3f}", epoch, report.loss));
  }

  void on_validated(std::int64_t) override { throw_if_interrupted(); }

  void on_epoch(const EpochReport& report) override {
    spdlog::info("epoch {}/{} ({:.0f} s): {}{}",
                 report.epoch,
                 plan_.epochs,
                 report.seconds,
                 train_text(report),
                 report.validation ? validation_text(*report.validation) : "");
    if (report.best) spdlog::info("epoch {} is the best so far", report.epoch);
    if (report.epoch == plan_.epochs) progress_->finish();
  }

  void on_warning(const std::string& message) override { spdlog::warn("{}", message); }

 private:
  static void report_weights(const WeightReport& weights) {
    spdlog::info("initial weights: {} loaded, {} missing, {} unexpected, {} of another shape",
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

  static std::string train_text(const EpochReport& report) {
    if (report.stage == Stage::kWarmUp) {
      return fmt::format("warm-up, train L1 {:.4f}", report.train_terms.front());
    }
    return fmt::format("train LL {:.3f}", -report.train_terms.front());
  }

  static std::string validation_text(const ValidationReport& report) {
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
    text += fmt::format(", val L1 {:.4f}", report.mean_l1);
    if (report.abs_rel) text += fmt::format(", AbsRel {:.3f}", *report.abs_rel);
    return text;
  }

  RunPlan plan_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace supn
