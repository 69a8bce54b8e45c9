#include "supn/training/option_changes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace supn {
namespace {

TEST(OptionChanges, AreJudgedByWhatTheyDoToARun) {
  EXPECT_EQ(effect_of_change("network.off_diagonal"), ChangeEffect::kCorrupts);
  EXPECT_EQ(effect_of_change("training.seed"), ChangeEffect::kCorrupts);
  EXPECT_EQ(effect_of_change("training.warm_up.epochs"), ChangeEffect::kCorrupts);
  EXPECT_EQ(effect_of_change("training.warm_up.learning_rate"), ChangeEffect::kResult);
  EXPECT_EQ(effect_of_change("an.option.of.tomorrow"), ChangeEffect::kResult);
  EXPECT_EQ(effect_of_change("evaluation.samples"), ChangeEffect::kNone);
  EXPECT_EQ(effect_of_change("data.root"), ChangeEffect::kNone);
  EXPECT_EQ(effect_of_change("data.cache"), ChangeEffect::kNone);
  EXPECT_EQ(effect_of_change("data.samples"), ChangeEffect::kResult);
  EXPECT_EQ(effect_of_change("training.checkpoint.every"), ChangeEffect::kNone);
}

TEST(OptionChanges, AreListedWithBothValues) {
  const std::vector<OptionChange> changes = {
      {"training.seed", "0", "1"}, {"data.workers", "2", "4"}, {"data.height", "96", "64"}};
  EXPECT_EQ(changes_text(changes, ChangeEffect::kCorrupts),
            "training.seed was 0, is 1; data.height was 96, is 64");
  EXPECT_EQ(changes_text(changes, ChangeEffect::kNone), "data.workers was 2, is 4");
  EXPECT_EQ(changes_text(changes, ChangeEffect::kResult), "");
}

}  // namespace
}  // namespace supn
