#include "supn/evaluation/depth/conditioned_rows.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "evaluation/scores/smooth_field.hpp"

namespace supn {
namespace {

using namespace smooth_field;

// A draw of the Gaussian itself, in metres.
MeasuredImage drawn_image() {
  const at::Tensor logits = drawn(smooth(), 1, 7)[0];
  return {.depth_m = depth_from_disparity(disparity_from_logit(logits, {}), 5.4), .seed = 3};
}

std::vector<ConditionedRow> rows_of(const MeasuredImage& image, const KnownRequest& request) {
  return score_conditioned("m", smooth(), image, request, {}, config());
}

std::map<std::string, std::map<std::string, double>> scores_of(const MeasuredImage& image,
                                                               const KnownRequest& request) {
  std::map<std::string, std::map<std::string, double>> scores;
  for (const ConditionedRow& row : rows_of(image, request)) {
    for (const auto& [key, value] : row.scores) scores[row.name][std::string(key)] = value;
  }
  return scores;
}

TEST(ConditionedRows, AreNamedInTheOrderOfPrinting) {
  const KnownRequest request{.counts = {5, 10}, .outliers = 0.1, .active = true, .scale_std = 0.1};
  std::vector<std::string> names;
  for (const ConditionedRow& row : rows_of(drawn_image(), request)) names.push_back(row.name);
  EXPECT_EQ(names, known_rows("m", request, std::nullopt));
}

TEST(ConditionedRows, AreNearerToTheTruthTheMoreIsKnown) {
  auto scores = scores_of(drawn_image(), {.counts = {5, 200}});
  EXPECT_LT(scores["m, 200 points"]["abs_rel"], 0.8 * scores["m, 5 points"]["abs_rel"]);
  EXPECT_LT(scores["m, 200 points"]["abs_rel"],
            scores["m, 200 points: mean x median ratio"]["abs_rel"]);
}

TEST(ConditionedRows, SayHowAGateFares) {
  auto scores = scores_of(drawn_image(), {.counts = {200}, .outliers = 0.1});
  EXPECT_GT(scores["m, 200 points, outliers, gated"]["gate_recall"], 0.8);
  EXPECT_LT(scores["m, 200 points, outliers, gated"]["abs_rel"],
            scores["m, 200 points, outliers"]["abs_rel"]);
  EXPECT_EQ(scores["m, 200 points"].count("gate_dropped"), 0);
}

// Rows of beams are judged outside the largest set of beams.
TEST(ConditionedRows, TakeTheBeamsThatAreThere) {
  MeasuredImage image = drawn_image();
  for (const std::int64_t beams : {1, 2}) {
    at::Tensor few = at::zeros({kFieldHeight, kFieldWidth}, at::kDouble);
    for (std::int64_t row = 0; row < beams; ++row) few[6 * row + 6] = image.depth_m[6 * row + 6];
    image.beams_m[beams] = few;
  }
  auto scores = scores_of(image, {.beams = {1, 2}});
  EXPECT_EQ(scores.size(), 8);  // each with three rivals
  EXPECT_LT(scores["m, 2 beams"]["abs_rel"], scores["m, 1 beam"]["abs_rel"]);
}

TEST(ConditionedRows, LeaveOutImagesThatCannotBeJudged) {
  const MeasuredImage image = drawn_image();
  EXPECT_TRUE(rows_of(image, {.counts = {kFieldHeight * kFieldWidth}}).empty());
  EXPECT_TRUE(rows_of({.depth_m = image.depth_m * 1e6}, {.counts = {5}}).empty());
}

}  // namespace
}  // namespace supn
