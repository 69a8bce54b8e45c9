// A checkpoint whose training went wrong, in the programs that compute with its Gaussian.
#include <c10/core/InferenceMode.h>

#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "apps/eval_app_test.hpp"

namespace supn {
namespace {

using namespace eval_test;
using ::testing::HasSubstr;

class NotFinite : public EvalAppTest {
 protected:
  void SetUp() override {
    EvalAppTest::SetUp();
    CheckpointParts parts = network_of({kHeight, kWidth});
    const at::NoGradGuard no_grad;
    for (at::Tensor& parameter : parts.network->parameters()) {
      if (parameter.dim() == 1) parameter.fill_(std::numeric_limits<double>::quiet_NaN());
    }
    save_checkpoint(folder_ / "wrong", parts);
  }
  static std::string picture() {
    return "kitti/" + drive() + "/image_02/data/" + name_of(0) + ".png";
  }
};

TEST_F(NotFinite, LosesItsKnownPointsAndNoOthers) {
  save_network("run", {kHeight, kWidth});
  const AppRun done = run({"--log-level",
                           "warn",
                           "--checkpoint",
                           "wrong",
                           "run",
                           "--known-points",
                           "10",
                           "--out",
                           "out"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("wrong gives values that are not finite: no rows of known"));
  const Json scores = table();
  std::set<std::string> rows;
  for (std::size_t row = 0; row < scores.at("rows").size(); ++row) {
    if (!scores.at("rows").at(row).at("scores").empty()) rows.insert(row_name(scores, row));
  }
  EXPECT_TRUE(rows.count("run, 10 points"));
  EXPECT_FALSE(rows.count("wrong, 10 points"));
}

TEST_F(NotFinite, HasNoCovarianceAndIsNotConditioned) {
  const std::vector<std::string> common = {
      "--checkpoint", "wrong", "--image", picture(), "--out", "out"};
  write("points.csv", "x,y,depth_m\n3,2,4\n");
  const std::map<std::string, std::vector<std::string>> own = {
      {"supn_covariance", {"--pixel", "3,2"}}, {"supn_condition", {"--known", "points.csv"}}};
  for (const auto& [program, options] : own) {
    std::vector<std::string> arguments = common;
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_user_error(run_app_program(program, arguments), "has values that are not finite");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / name_of(0) / "info.json")) << program;
  }
}

}  // namespace
}  // namespace supn
