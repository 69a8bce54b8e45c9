#include "training/run/run_warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace supn {
namespace {

using testing::HasSubstr;

// Training and validation likelihood in nats/pixel/sample, and the whitened members' variances.
EpochReport report_of(double train, double validation, double train_variance, double variance) {
  EpochReport report;
  report.epoch = 7;
  report.train_terms = {-train, 0.0};
  report.residual_variance = train_variance;
  report.validation.emplace();
  report.validation->log_likelihood = {validation, 0.0};
  report.validation->factor.emplace();
  report.validation->factor->residual_variance = variance;
  return report;
}

TEST(RunWarnings, SeeALikelihoodThatLeadsOnTrainingImagesAndWhitensOnlyThem) {
  EXPECT_TRUE(runs_away(report_of(6.0, 4.0, 0.9, 2.5)));
}

TEST(RunWarnings, LetAnEqualLikelihoodPass) {
  EXPECT_FALSE(runs_away(report_of(4.5, 4.0, 0.9, 2.5)));
  EXPECT_FALSE(runs_away(report_of(4.0, 6.0, 0.9, 2.5)));
}

TEST(RunWarnings, LetAnEqualVariancePass) {
  EXPECT_FALSE(runs_away(report_of(6.0, 4.0, 0.9, 1.5)));
  EXPECT_FALSE(runs_away(report_of(6.0, 4.0, 2.5, 0.9)));
}

TEST(RunWarnings, NeedAFactor) {
  EpochReport report = report_of(6.0, 4.0, 0.9, 2.5);
  report.validation->factor.reset();
  EXPECT_FALSE(runs_away(report));
}

TEST(RunWarnings, NameEpochFiguresAndRemedy) {
  const std::string text = runaway_warning(report_of(6.25, 4.5, 0.875, 2.75));
  for (const char* part : {"epoch 7", "6.25", "4.5", "0.875", "2.75", "likelihood_bound"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

EpochReport report_of_levels(const std::vector<double>& train, const std::vector<double>& val) {
  EpochReport report = report_of(4.0, 4.0, 1.0, 1.0);
  report.level_variances = train;
  for (const double variance : val) report.validation->factor->levels.push_back({0.0, variance});
  return report;
}

TEST(RunWarnings, SeeLevelsThatWhitenOnlyTrainingImages) {
  EXPECT_EQ(overfitted_levels(report_of_levels({0.9, 0.9, 1.1, 0.3}, {1.0, 2.5, 2.0, 0.9})),
            std::vector<std::size_t>{1});
  EXPECT_TRUE(overfitted_levels(report_of_levels({}, {})).empty());
}

TEST(RunWarnings, NameTheStridesOfOverFittedLevels) {
  const std::string text = overfit_warning(report_of_levels({0.9, 0.75, 0.5}, {1.0, 2.5, 3.25}));
  for (const char* part : {"epoch 7", "stride 2 ", "0.75", "2.5", "coarsest stride 4", "3.25"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(RunWarnings, SayThatTheScaleDoesNotFit) {
  EXPECT_THAT(scale_warning(3, 6.0, 5.4),
              testing::AllOf(HasSubstr("epoch 3"), HasSubstr("6 times"), HasSubstr("median")));
}

TrainingRun run_with(OffDiagonalForm form, double std_match) {
  TrainingRun run;
  run.network.off_diagonal = form;
  run.training.losses.std_match = std_match;
  return run;
}

TEST(RunWarnings, SayWhetherSamplesExplodeOrCollapse) {
  const TrainingRun run = run_with(OffDiagonalForm::kPaper, 0.0);
  EXPECT_THAT(spread_warning(3, {.low = 1.0, .median = 12.0, .high = 40.0}, run),
              HasSubstr("epoch 3: the samples explode: their std is 12 times"));
  EXPECT_THAT(spread_warning(3, {.low = 0.0, .median = 0.1, .high = 1.0}, run),
              HasSubstr("are far too narrow"));
}

TEST(RunWarnings, AdviseWhatIsNotSetYet) {
  const SpreadRatio wide{.low = 1.0, .median = 123.0, .high = 400.0};
  EXPECT_THAT(spread_warning(3, wide, run_with(OffDiagonalForm::kPaper, 0.0)),
              testing::AllOf(HasSubstr("network.off_diagonal factored or twofold"),
                             testing::Not(HasSubstr("std_match"))));
  EXPECT_THAT(spread_warning(3, wide, run_with(OffDiagonalForm::kFactored, 0.0)),
              testing::AllOf(HasSubstr("are far too wide"),
                             testing::Not(HasSubstr("off_diagonal")),
                             HasSubstr("coarse_to_fine, training.losses.std_match, ")));
  EXPECT_THAT(spread_warning(3, wide, run_with(OffDiagonalForm::kFactored, 0.1)),
              HasSubstr("coarse_to_fine, a larger training.losses.std_match, "));
  TrainingRun coarse_to_fine = run_with(OffDiagonalForm::kPaper, 0.0);
  coarse_to_fine.network.order = PixelOrder::kCoarseToFine;
  EXPECT_THAT(spread_warning(3, wide, coarse_to_fine),
              testing::AllOf(testing::Not(HasSubstr("network.")),
                             HasSubstr("Use training.losses.energy_match")));
}

TEST(RunWarnings, AreThoseThatApplyToTheEpoch) {
  const TrainingRun run = run_with(OffDiagonalForm::kFactored, 0.0);
  EpochReport report = report_of(4.0, 4.0, 1.0, 1.0);
  report.stage = Stage::kLikelihood;
  EXPECT_TRUE(warnings_of(report, run).empty());

  report = report_of(6.0, 4.0, 0.9, 2.5);
  report.stage = Stage::kLikelihood;
  report.validation->scale_ratio = 30.0;
  EXPECT_THAT(warnings_of(report, run),
              testing::ElementsAre(HasSubstr("AbsRel tells little"), runaway_warning(report)));
  report.validation->log_likelihood.front() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(warnings_of(report, run),
              testing::ElementsAre(testing::_, HasSubstr("likelihood is not finite")));
  report.stage = Stage::kWarmUp;
  EXPECT_THAT(warnings_of(report, run), testing::SizeIs(1));
}

}  // namespace
}  // namespace supn
