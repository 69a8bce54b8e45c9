#include "supn/training/metrics_log.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
                                       .factor = FactorStatistics{.residual_variance = 1.25,
                                                                  .coupled_share = 0.5,
                                                                  .lowest_phi = -3.0,
                                                                  .highest_phi = 6.5,
                                                                  .phi = {},
                                                                  .psi = {},
                                                                  .rho = {}},
                                       .abs_rel = std::nullopt};
  return report;
}

TEST_F(MetricsLogTest, WritesLikelihoodsOfTrainAndValSideBySide) {
  MetricsLog log(folder_, {});
  log.write_epoch(epoch_report(1));

  const auto written = lines();

  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0]["kind"], "epoch");
  EXPECT_EQ(written[0]["train"]["log_likelihood"][0], 3.5);
  EXPECT_EQ(written[0]["val"]["log_likelihood"][0], 3.25);
  EXPECT_EQ(written[0]["val"]["std_ratio"]["median"], 0.9);
  EXPECT_EQ(written[0]["val"]["residual_variance"], 1.25);
  EXPECT_EQ(written[0]["val"]["phi"]["highest"], 6.5);
  EXPECT_FALSE(written[0]["val"].contains("abs_rel"));
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found{""};
  for (const char c : line) {
    if (c == ',') {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

TEST_F(MetricsLogTest, WritesTheEpochsAsATable) {
  EpochReport warm_up;
  warm_up.epoch = 1;
  warm_up.stage = Stage::kWarmUp;
  warm_up.train_terms = {0.25};
  {
    MetricsLog log(folder_, {});
    log.write_epoch(warm_up);
    EpochReport second = epoch_report(2);
    second.validation->abs_rel = std::numeric_limits<double>::quiet_NaN();
    log.write_epoch(second);
    std::ifstream written(folder_ / "metrics.csv");
    const std::string text(std::istreambuf_iterator<char>(written), {});
    EXPECT_EQ(text.find("null"), std::string::npos) << text;
    log.write_epoch(epoch_report(3));
  }
  // Epoch 3 was not saved: it is written anew.
  MetricsLog log(folder_, {.finished_epochs = 2});
  log.write_epoch(epoch_report(3));

  std::ifstream stream(folder_ / "metrics.csv");
  std::vector<std::map<std::string, std::string>> rows;
  std::string line;
  std::getline(stream, line);
  const std::vector<std::string> names = fields(line);
  while (std::getline(stream, line)) {
    const std::vector<std::string> values = fields(line);
    ASSERT_EQ(values.size(), names.size()) << line;
    rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) rows.back()[names[i]] = values[i];
  }
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["stage"], "warm_up");
  EXPECT_EQ(rows[0]["train_l1"], "0.25");
  EXPECT_EQ(rows[0]["train_log_likelihood"], "");
  EXPECT_EQ(rows[0]["val_log_likelihood"], "");
  EXPECT_EQ(rows[1]["epoch"], "2");
  EXPECT_EQ(rows[1]["train_log_likelihood"], "3.5");
  EXPECT_EQ(rows[1]["val_log_likelihood"], "3.25");
  EXPECT_EQ(rows[1]["val_std_ratio"], "0.9");
  EXPECT_EQ(rows[1]["val_coupled_share"], "0.5");
  EXPECT_EQ(rows[1]["val_abs_rel"], "");
  EXPECT_EQ(rows[2]["epoch"], "3");
}

TEST_F(MetricsLogTest, WritesNotFiniteAsNull) {
  MetricsLog log(folder_, {});
  StepReport step;
  step.loss = std::numeric_limits<double>::quiet_NaN();
  log.write_step(step, {.finished_epochs = 2, .finished_steps = 30});

  const auto written = lines();

  EXPECT_TRUE(written[0]["loss"].is_null());
  EXPECT_EQ(written[0]["epoch"], 3);
  EXPECT_EQ(written[0]["step"], 31);
}

TEST_F(MetricsLogTest, DropsStepsAndEpochsThatWereNotSaved) {
  {
    MetricsLog log(folder_, {});
    log.write_step({}, {.finished_epochs = 0, .finished_steps = 0});
    log.write_epoch(epoch_report(1));
    log.write_step({}, {.finished_epochs = 1, .finished_steps = 1});
    log.write_step({}, {.finished_epochs = 1, .finished_steps = 2});
    log.write_epoch(epoch_report(2));
  }
  std::ofstream(file(), std::ios::app) << R"({"kind":"st)";

  MetricsLog log(folder_, {.finished_epochs = 1, .finished_steps = 2});
  log.write_step({}, {.finished_epochs = 1, .finished_steps = 2});

  const auto written = lines();
  ASSERT_EQ(written.size(), 4U);
  EXPECT_EQ(written[0]["step"], 1);
  EXPECT_EQ(written[1]["kind"], "epoch");
  EXPECT_EQ(written[2]["step"], 2);
  EXPECT_EQ(written[3]["step"], 3);
}

TEST_F(MetricsLogTest, GoesOnAfterLinesOfAnotherKind) {
  put(file(), "{\"kind\": 3}\n{\"kind\": \"step\", \"step\": \"x\"}\n[]\n{\"kind\": \"epoch\"}\n");
  EXPECT_NO_THROW(MetricsLog(folder_, {1, 1}));
  EXPECT_EQ(lines().size(), 2U);
}

TEST_F(MetricsLogTest, NamesTheLineThatIsNotJson) {
  for (const std::string line : {"rubbish", R"({"epoch":1,"epoch":2})"}) {
    put(file(), "{\"epoch\":1}\n" + line + "\n{\"epoch\":2}\n");
    EXPECT_THAT(message_of<IoError>([&] { MetricsLog(folder_, {.finished_epochs = 1}); }),
                testing::HasSubstr("line 2 is not JSON"))
        << line;
  }
}

}  // namespace
}  // namespace supn
