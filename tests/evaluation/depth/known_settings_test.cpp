#include "supn/evaluation/depth/known_settings.hpp"

#include <gmock/gmock.h>

namespace supn {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::string> names(const KnownRequest& request) {
  std::vector<std::string> result;
  for (const KnownSetting& setting : known_settings(request)) result.push_back(setting.name);
  return result;
}

TEST(KnownSettings, AreOnePerCountAndWish) {
  EXPECT_THAT(names({}), ElementsAre());
  EXPECT_THAT(names({.counts = {25, 50}, .beams = {1, 4}}),
              ElementsAre("25 points", "50 points", "1 beam", "4 beams"));
  EXPECT_THAT(names({.counts = {25}, .outliers = 0.1, .active = true, .scale_std = 0.2}),
              ElementsAre("25 points",
                          "25 points, unknown scale",
                          "25 points, gated",
                          "25 points, outliers",
                          "25 points, outliers, gated",
                          "25 active points"));
}

// Rivals make the same of the same points, so they stand once for each set of points.
TEST(KnownSettings, HaveRivalsOncePerSetOfPoints) {
  const KnownRequest request{.counts = {25}, .outliers = 0.1};
  EXPECT_THAT(known_rows("m", request, std::nullopt),
              ElementsAre("m, 25 points",
                          "m, 25 points: interpolation of log depth",
                          "m, 25 points: mean x interpolated ratio",
                          "m, 25 points: mean x median ratio",
                          "m, 25 points, gated",
                          "m, 25 points, outliers",
                          "m, 25 points, outliers: interpolation of log depth",
                          "m, 25 points, outliers: mean x interpolated ratio",
                          "m, 25 points, outliers: mean x median ratio",
                          "m, 25 points, outliers, gated",
                          "m, 25 points, outliers, gated: interpolation of log depth",
                          "m, 25 points, outliers, gated: mean x interpolated ratio",
                          "m, 25 points, outliers, gated: mean x median ratio"));
}

TEST(KnownSettings, AreComparedWithTheSamePoints) {
  const std::vector<KnownSetting> settings = known_settings({.counts = {25}, .outliers = 0.1});
  EXPECT_THAT(
      compared_rows("m", settings.at(1), std::nullopt),
      ElementsAre(Pair("m, 25 points", "25 points"),
                  Pair("m, 25 points: interpolation of log depth", "interpolation of log depth"),
                  Pair("m, 25 points: mean x interpolated ratio", "mean x interpolated ratio"),
                  Pair("m, 25 points: mean x median ratio", "mean x median ratio")));
}

}  // namespace
}  // namespace supn
