#include "supn/comparison/evaluate_split.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "comparison/split_set.hpp"
#include "supn/comparison/ensemble_rows.hpp"

namespace supn {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using EvaluateSplit = SplitSet;

TEST_F(EvaluateSplit, ScoresEachImageOnceAndSaysWhatItLeavesOut) {
  const SplitResult result =
      evaluate_split({.ensemble = true}, {config_, evaluation_}, at::kCPU, observer_);

  ASSERT_EQ(result.table.rows.size(), 1);
  EXPECT_EQ(result.table.rows[0].name, "ensemble");
  EXPECT_THAT(result.table.caption, Contains(Pair("images", "5, 2 of them with ground truth")));
  EXPECT_THAT(result.table.caption,
              Contains(Pair("members",
                            "3 in the files; LL and std ratio against 3 of them, ensemble row from "
                            "all")));
  EXPECT_THAT(images_,
              ElementsAre(Pair(0, 5), Pair(1, 5), Pair(2, 5), Pair(3, 5), Pair(4, 5), Pair(5, 5)));
  // No log-scales beside the samples, and three images without depth.
  ASSERT_EQ(warnings_.size(), 4);
  EXPECT_THAT(warnings_[0], HasSubstr("ensemble uncertainty is empirical, not paper"));
  EXPECT_THAT(warnings_[1], HasSubstr("no ground truth that counts, skipped for accuracy"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(EvaluateSplit, DrawsTheCurves) {
  const EvaluationRequest request{.ensemble = true, .out = folder_ / "out"};
  std::filesystem::create_directories(folder_ / "out");
  std::ofstream(folder_ / "out/pit_pixels.svg") << "of an earlier evaluation";
  evaluate_split(request, {config_, evaluation_}, at::kCPU, observer_);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/sparsification_abs_rel.svg"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/sparsification_abs_rel_oracle.svg"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/pit_pixels.svg"));
}

TEST_F(EvaluateSplit, TakesTheVariantsThatTheFilesAllow) {
  EXPECT_THAT(usable_variants(evaluation_, config_, frames_[0]),
              ElementsAre(EnsembleUncertainty::kEmpirical));
  write_maps(log_scale_path(config_.samples, frames_[0]), stored_maps(0));
  EXPECT_EQ(usable_variants(evaluation_, config_, frames_[0]).size(), 5);
  EXPECT_EQ(usable_uncertainty(evaluation_, config_, frames_[0], observer_.on_warning),
            EnsembleUncertainty::kPaper);
  EXPECT_TRUE(warnings_.empty());
  evaluation_.uncertainty_space = UncertaintySpace::kDepth;
  EXPECT_EQ(usable_uncertainty(evaluation_, config_, frames_[0], observer_.on_warning),
            EnsembleUncertainty::kEmpirical);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("log-scales rank in sigmoid space only")));
}

}  // namespace
}  // namespace supn
