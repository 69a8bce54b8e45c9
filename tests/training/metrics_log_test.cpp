#include "supn/training/metrics_log.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "io/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

class MetricsLogTest : public TemporaryFolder {
 protected:
  std::filesystem::path file() const { return folder_ / "metrics.jsonl"; }

  std::vector<nlohmann::json> lines() const {
    std::ifstream stream(file());
    std::vector<nlohmann::json> result;
    for (std::string line; std::getline(stream, line);) {
      result.push_back(nlohmann::json::parse(line));
    }
    return result;
  }
};

EpochReport epoch_report(std::int64_t epoch) {
  EpochReport report;
  report.epoch = epoch;
  report.train_terms = {-3.5, -2.5};
  report.validation = ValidationReport{.images = 18,
                                       .mean_l1 = 0.04,
                                       .log_likelihood = {3.25, 2.0},
                                       .std_ratio = SpreadRatio{0.5, 0.9, 2.0},
                                       .abs_rel = std::nullopt};
  return report;
}

TEST_F(MetricsLogTest, WritesLikelihoodsOfTrainAndValSideBySide) {
  MetricsLog log(file(), 0);
  log.write_epoch(epoch_report(1));

  const auto written = lines();

  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0]["kind"], "epoch");
  EXPECT_EQ(written[0]["train"]["log_likelihood"][0], 3.5);
  EXPECT_EQ(written[0]["val"]["log_likelihood"][0], 3.25);
  EXPECT_EQ(written[0]["val"]["std_ratio"]["median"], 0.9);
  EXPECT_FALSE(written[0]["val"].contains("abs_rel"));
}

TEST_F(MetricsLogTest, WritesNotFiniteAsNull) {
  MetricsLog log(file(), 0);
  StepReport step;
  step.loss = std::numeric_limits<double>::quiet_NaN();
  log.write_step(step, {.finished_epochs = 2, .finished_steps = 30});

  const auto written = lines();

  EXPECT_TRUE(written[0]["loss"].is_null());
  EXPECT_EQ(written[0]["epoch"], 3);
  EXPECT_EQ(written[0]["step"], 31);
}

TEST_F(MetricsLogTest, DropsWhatAnInterruptedEpochLeftBehind) {
  {
    MetricsLog log(file(), 0);
    log.write_step({}, {.finished_epochs = 0, .finished_steps = 0});
    log.write_epoch(epoch_report(1));
    log.write_step({}, {.finished_epochs = 1, .finished_steps = 1});
  }
  std::ofstream(file(), std::ios::app) << R"({"kind":"st)";

  MetricsLog log(file(), 1);
  log.write_epoch(epoch_report(2));

  const auto written = lines();
  ASSERT_EQ(written.size(), 3U);
  EXPECT_EQ(written[0]["kind"], "step");
  EXPECT_EQ(written[1]["epoch"], 1);
  EXPECT_EQ(written[2]["epoch"], 2);
}

TEST_F(MetricsLogTest, NamesTheLineThatIsNotJson) {
  std::ofstream(file()) << "{\"epoch\":1}\nrubbish\n{\"epoch\":2}\n";
  try {
    MetricsLog log(file(), 1);
    FAIL() << "accepted rubbish";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace supn
