#include "view/session.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "apps/view/view_fixture.hpp"
#include "inference/quantity.hpp"
#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/covariance.hpp"
#include "supn/gaussian/functional.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/io/depth_png.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kFloat32 = 1e-5;

using ViewSession = ViewTest;

// Pixels (3,2) and (9,7): 35 and 121 in raster order; out of it in the request.
Json two_points() {
  return Json::parse(R"([{"x":9,"y":7,"depth":3.5},{"x":3,"y":2,"depth":6.0}])");
}
ConditionedGaussian given_two_points(const StructuredGaussian& gaussian) {
  const DepthMeasurements measured{at::tensor({35, 121}, at::kLong),
                                   at::tensor({6.0, 3.5}, at::kDouble)};
  return {gaussian, depth_observations(measured, 5.4, {.relative = 0.02}, DepthRange())};
}

TEST_F(ViewSession, OpensWithTheImageAtTheMapsSize) {
  const Reply reply = answer("open", {{"index", 0}});
  EXPECT_EQ(array(reply, "rgb").sizes(), (at::IntArrayRef{kHeight, kWidth, 3}));
  EXPECT_EQ(facts(reply)["image_width"], 32);
  EXPECT_EQ(facts(reply)["scale"], 5.4);
  EXPECT_EQ(array(reply, "measured_pixels").numel(), 0);
}

TEST_F(ViewSession, WithoutPointsTheFieldIsThePrior) {
  const Reply reply = answer("field", given({{"quantity", "depth"}}));
  const at::Tensor variance = marginal_variance(gaussian_)[0][0];
  EXPECT_LT(largest_difference(array(reply, "mean"), gaussian_.mean()[0][0]), kFloat32);
  EXPECT_LT(largest_difference(array(reply, "logit_std"), variance.sqrt()), kFloat32);
  const at::Tensor std = exact_std({gaussian_.mean()[0][0], variance}, {Quantity::kDepth, 5.4});
  EXPECT_LT(largest_difference(array(reply, "std"), std), kFloat32);
}

TEST_F(ViewSession, PointsConditionExactly) {
  const Reply reply = answer("field", given({{"quantity", "logit"}}, two_points()));
  ConditionedGaussian expected = given_two_points(gaussian_);
  EXPECT_LT(largest_difference(array(reply, "mean"), expected.mean()[0][0]), kFloat32);
  EXPECT_LT(largest_difference(array(reply, "std"), expected.variance()[0][0].sqrt()), kFloat32);
  const Json points = facts(reply)["points"];
  EXPECT_EQ(points[0]["pixel"], 35);
  EXPECT_NEAR(points[0]["distance"].get<double>(), expected.distances()[0].item<double>(), 1e-6);
}

// By one that goes and comes back, and one whose value changes.
TEST_F(ViewSession, PointsThatChangeLeaveNoTrace) {
  const Reply first = answer("field", given({{"quantity", "depth"}}, two_points()));
  Json moved = two_points();
  moved[0]["depth"] = 5.0;
  answer("field", given({{"quantity", "depth"}}, moved));
  answer("field", given({{"quantity", "depth"}}));
  EXPECT_EQ(answer("field", given({{"quantity", "depth"}}, two_points())).body, first.body);
}

TEST_F(ViewSession, SamplesAreThoseOfTheSeed) {
  const std::vector<std::uint64_t> seeds{image_seed(1, "g")};
  const at::Tensor prior = sample(gaussian_.to(at::kDouble), seeds, {.range = {2, 3}}).values[0];
  const Json range = {{"first", 2}, {"count", 3}};
  EXPECT_LT(largest_difference(array(answer("samples", given(range)), "samples"), prior), kFloat32);
  const at::Tensor posterior = given_two_points(gaussian_).samples(seeds[0], {2, 3})[0];
  EXPECT_LT(largest_difference(array(answer("samples", given(range, two_points())), "samples"),
                               posterior),
            kFloat32);
}

TEST_F(ViewSession, CorrelationIsTheExactOne) {
  const Json place = {{"x", 5}, {"y", 6}};
  const std::int64_t pixel = 6 * kWidth + 5;
  const at::Tensor prior = correlation_columns(gaussian_, at::tensor({pixel}, at::kLong))[0][0];
  EXPECT_LT(largest_difference(array(answer("correlation", given(place)), "correlation"), prior),
            kFloat32);
  ConditionedGaussian expected = given_two_points(gaussian_);
  at::Tensor unit = at::zeros({1, 1, kHeight, kWidth}, at::kDouble);
  unit.view({-1})[pixel] = 1.0;
  const at::Tensor std = expected.variance()[0][0].sqrt();
  const at::Tensor posterior = expected.covariance_times(unit)[0][0] / std / std.view({-1})[pixel];
  EXPECT_LT(largest_difference(
                array(answer("correlation", given(place, two_points())), "correlation"), posterior),
            kFloat32);
}

TEST_F(ViewSession, CorrelationWithAnExactlyKnownPixelIsZero) {
  Json exact = given({{"x", 5}, {"y", 6}}, two_points());
  exact["noise_relative"] = 0.0;
  const at::Tensor map = array(answer("correlation", exact), "correlation");
  EXPECT_EQ(map[7][9].item<double>(), 0.0);
  EXPECT_EQ(map[6][5].item<double>(), 1.0);
  exact["x"] = 9;
  exact["y"] = 7;
  EXPECT_EQ(array(answer("correlation", exact), "correlation").abs().max().item<double>(), 0.0);
}

TEST_F(ViewSession, RegionsHaveTheirExactSpread) {
  const Json boxes =
      Json::parse(R"([{"x":1,"y":2,"width":4,"height":3},{"x":8,"y":5,"width":5,"height":6}])");
  const Reply reply = answer("regions", given({{"regions", boxes}}));
  const at::Tensor weights = at::cat({box_mean_weights(gaussian_.size(), {2, 1, 3, 4}),
                                      box_mean_weights(gaussian_.size(), {5, 8, 6, 5})});
  const at::Tensor covariance = functional_covariance(gaussian_, weights)[0];
  EXPECT_LT(largest_difference(array(reply, "mean"), functional_mean(gaussian_, weights)[0]),
            kFloat32);
  EXPECT_LT(largest_difference(array(reply, "covariance"), covariance), kFloat32);
  const JointMoments depth = joint_depth_moments(
      functional_mean(gaussian_, weights)[0].to(at::kDouble), covariance, 5.4, DepthRange());
  EXPECT_LT(largest_difference(array(reply, "depth_covariance"), depth.covariance), kFloat32);
}

TEST_F(ViewSession, ProposesWhereTheVarianceFallsMost) {
  const Reply reply = answer("next", given({{"count", 3}}, two_points()));
  EXPECT_EQ(array(reply, "pixels").numel(), 3);
  const at::Tensor total = array(reply, "total_variance");
  EXPECT_NEAR(total[0].item<double>(),
              given_two_points(gaussian_).variance().sum().item<double>(),
              0.01 * total[0].item<double>());  // one noise for all points
  EXPECT_LT(total[3].item<double>(), total[0].item<double>());
}

TEST_F(ViewSession, GivesUpAProposalThatIsNoLongerWanted) {
  struct Unwanted {};
  const std::string body = given({{"count", 3}}, two_points()).dump();
  const Question question{.route = "next", .body = body, .check = [] { throw Unwanted(); }};
  EXPECT_THROW(session_->answer(question), Unwanted);
}

TEST_F(ViewSession, TakesAListOfPointsOfTheImage) {
  const std::string list = "x,y,depth_m\n19,15,3.5\n";
  const Reply reply =
      session_->answer({.route = "measurements", .body = list, .file_name = "points.csv"});
  EXPECT_EQ(array(reply, "measured_pixels")[0].item<double>(), 7 * kWidth + 9);
  EXPECT_FLOAT_EQ(array(reply, "measured_depths")[0].item<float>(), 3.5F);
  EXPECT_EQ(facts(answer("field", given({{"quantity", "depth"}})))["scores"]["points"], 1);
}

TEST_F(ViewSession, TakesADepthMapOfTheImagesSize) {
  at::Tensor depth_m = at::zeros({2 * kHeight, 2 * kWidth});
  depth_m[15][19] = 3.5;
  write_depth_png(folder_ / "depth.png", depth_m);
  const auto upload = [&](const std::string& file) {
    return session_->answer(
        {.route = "measurements", .body = bytes_of(folder_ / file), .file_name = file});
  };
  EXPECT_EQ(array(upload("depth.png"), "measured_pixels")[0].item<double>(), 7 * kWidth + 9);
  write_depth_png(folder_ / "small.png", depth_m.narrow(0, 0, 20));
  EXPECT_EQ(upload("small.png").status, 422);
}

TEST_F(ViewSession, RefusesFilesThatAreNoMeasurements) {
  const auto upload = [&](const std::string& name, const std::string& bytes) {
    const Reply reply =
        session_->answer({.route = "measurements", .body = bytes, .file_name = name});
    EXPECT_GE(reply.status, 400);
    EXPECT_LT(reply.status, 500);
    return error(reply);
  };
  EXPECT_THAT(upload("points.csv", "x,y,depth_m\n99,0,1\n"), HasSubstr("points.csv:2: x is '99'"));
  EXPECT_THAT(upload("map.png", "no picture"), HasSubstr("map.png"));
  EXPECT_THAT(upload("scan.bin", "1234"), HasSubstr("--calibration"));
  EXPECT_THAT(upload("notes.txt", "x"), HasSubstr(".csv"));
  EXPECT_THAT(upload("", ""), HasSubstr(".csv"));
}

TEST_F(ViewSession, ScoresMeasuredDepthsThatAreNotKnown) {
  put(folder_ / "known.csv", "x,y,depth_m\n19,15,3.5\n7,20,6\n21,19,4\n");
  arguments_.measurements.known = folder_ / "known.csv";
  start();
  const auto scores = [&](const Json& points) -> Json {
    return facts(answer("field", given({{"quantity", "depth"}}, points)))["scores"];
  };
  EXPECT_EQ(scores(Json::array())["points"], 3);
  EXPECT_EQ(scores(Json::parse(R"([{"x":9,"y":7,"depth":3.5}])"))["points"], 2);
}

TEST_F(ViewSession, TheMedianOfWhatIsMeasuredIsTheScale) {
  put(folder_ / "known.csv", "x,y,depth_m\n19,15,35\n7,20,35\n");
  arguments_.measurements.known = folder_ / "known.csv";
  arguments_.scale = ViewScale::kAuto;
  start();
  const double scale = facts(answer("open", {{"index", 0}}))["scale"];
  const at::Tensor disparity = disparity_from_logit(gaussian_.mean()[0][0], DepthRange());
  const double middle =
      2.0 / (1.0 / disparity[7][9].item<double>() + 1.0 / disparity[10][3].item<double>());
  EXPECT_NEAR(scale, 35.0 * middle, 1e-3);
}

// Metres and a depth without unit must not meet.
TEST_F(ViewSession, WithoutAScaleNothingIsMeasured) {
  arguments_.scale = ViewScale::kAuto;
  start();
  const Reply opened = answer("open", {{"index", 0}});
  EXPECT_TRUE(facts(opened)["scale"].is_null());
  const Reply upload = session_->answer(
      {.route = "measurements", .body = "x,y,depth_m\n19,15,3.5\n", .file_name = "points.csv"});
  EXPECT_EQ(upload.status, 422);
  EXPECT_THAT(error(upload), HasSubstr("--scale NUMBER"));
  put(folder_ / "known.csv", "x,y,depth_m\n19,15,35\n");
  arguments_.measurements.known = folder_ / "known.csv";
  arguments_.scale = ViewScale::kNone;
  start();
  EXPECT_EQ(array(answer("open", {{"index", 0}}), "measured_pixels").numel(), 0);
}

}  // namespace
}  // namespace supn
