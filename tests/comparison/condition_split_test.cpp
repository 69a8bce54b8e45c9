#include "supn/comparison/condition_split.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "comparison/split_set.hpp"
#include "message_of.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// Two of five frames have depth: 9·20 pixels of it, which fall on all of the 8·16 of the maps.
class ConditionSplit : public SplitSet {
 protected:
  void SetUp() override {
    SplitSet::SetUp();
    request_.counts = {5, 20};
    request_.condition.noise.relative = 0.02;
    request_.condition.scale.mode = ScaleMode::kFixed;
    request_.condition.scale.fixed = 100.0;
    request_.predict = [](const at::Tensor&, const std::string&) {
      const at::Tensor map = at::zeros({1, 1, kHeight, kWidth}, at::kDouble);
      const at::Tensor off_diagonal = at::full({1, 4, kHeight, kWidth}, -0.3, at::kDouble);
      return StructuredGaussian(map - 2.0, map, off_diagonal, Neighbourhood(1));
    };
  }

  SplitResult result() { return condition_split(request_, {config_, evaluation_}, observer_); }

  ConditionedSplit request_;
};

TEST_F(ConditionSplit, HasRowsOfEveryCountAndItsRivals) {
  const SplitResult split = result();
  std::vector<std::string> rows;
  for (const TableRow& row : split.table.rows) rows.push_back(row.name);
  EXPECT_THAT(rows,
              ElementsAre("no points",
                          "5 points",
                          "5 points: interpolation of log depth",
                          "5 points: mean x interpolated ratio",
                          "5 points: mean x median ratio",
                          "20 points",
                          "20 points: interpolation of log depth",
                          "20 points: mean x interpolated ratio",
                          "20 points: mean x median ratio"));
  EXPECT_THAT(split.table.caption, Contains(Pair("images", "2 of 5")));
  EXPECT_THAT(split.table.caption, Contains(Pair("scale", "fixed, 100 / disparity")));
  EXPECT_THAT(warnings_, Contains(HasSubstr("skipped, it has no ground truth")));
  EXPECT_THAT(split.table.rows[1].verdict, testing::Not(testing::IsEmpty()));
}

TEST_F(ConditionSplit, RefusesWhatNoImageAllows) {
  request_.counts = {1000};
  EXPECT_THAT(message_of<ConfigError>([&] { result(); }),
              HasSubstr("no image has enough ground truth"));
  EXPECT_THAT(warnings_, Contains(HasSubstr("measured pixels are not more than 1000")));
  request_.condition.method = ConditioningMethod::kPcg;
  EXPECT_THAT(message_of<ConfigError>([&] { result(); }),
              HasSubstr("--method pcg gives no variance"));
}

}  // namespace
}  // namespace supn
