#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "apps/gaussian_app_test.hpp"
#include "supn/gaussian/covariance.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/io/image.hpp"

namespace supn {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class SupnCovariance : public GaussianAppTest {
 protected:
  AppRun run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--gaussian", "g.safetensors"});
    return run_app_program("supn_covariance", arguments);
  }
  // Σ as a dense matrix [N,N].
  at::Tensor covariance() const {
    return covariance_columns(gaussian_, at::arange(kHeight * kWidth, at::kLong))[0].reshape(
        {kHeight * kWidth, kHeight * kWidth});
  }
  static bool close(const at::Tensor& a, const at::Tensor& b) {
    return at::allclose(a.to(at::kDouble), b.to(at::kDouble), 1e-5, 1e-8);
  }
};

TEST_F(SupnCovariance, WritesRowsOfThePixelsAskedFor) {
  const AppRun done = run({"--pixel", "3,2", "--pixel", "10,7", "--out", "o"});

  ASSERT_EQ(done.code, 0) << done.err;
  const at::Tensor pixels = at::tensor({2 * kWidth + 3, 7 * kWidth + 10}, at::kLong);
  EXPECT_TRUE(close(array("o/g/covariance.npy"), covariance_columns(gaussian_, pixels)[0]));
  EXPECT_TRUE(close(array("o/g/correlation.npy"), correlation_columns(gaussian_, pixels)[0]));
  EXPECT_NEAR(array("o/g/correlation.npy")[1][7][10].item<double>(), 1.0, 1e-6);
  EXPECT_GT(read_rgb(folder_ / "o/g.png").size(1), 600);
  const nlohmann::json info = json("o/g/info.json");
  EXPECT_EQ(info["pixels"][1]["map_x"], 10);
  EXPECT_EQ(info["unit_of_covariance"], "logit^2");
  EXPECT_LT(info["relative_residual"], 1e-10);
}

// Depths are those of the logits' quantiles, in metres where a scale is given.
TEST_F(SupnCovariance, AnswersInMetresAndNamesEveryUnit) {
  const AppRun done = run({"--pixel",
                           "3,2",
                           "--region",
                           "4,3,2,3",
                           "--difference",
                           "1,1,2,1",
                           "--scale",
                           "5.4",
                           "--log-level",
                           "info",
                           "--out",
                           "o"});

  ASSERT_EQ(done.code, 0) << done.err;
  const auto depth = [](double logit) { return 5.4 / (0.01 + 9.99 / (1.0 + std::exp(-logit))); };
  const nlohmann::json info = json("o/g/info.json");
  const nlohmann::json pixel = info["pixels"][0];
  EXPECT_NEAR(pixel["mean"], -1.94, 1e-6);
  EXPECT_NEAR(pixel["depth"]["median"], depth(-1.94), 1e-6);
  EXPECT_NEAR(
      pixel["depth"]["low_5"], depth(-1.94 + 1.644853627 * pixel["std"].get<double>()), 1e-6);
  EXPECT_EQ(pixel["depth"]["unit"], "m");
  const nlohmann::json region = info["functionals"][0];
  EXPECT_NEAR(region["depth"]["high_95"],
              depth(region["mean"].get<double>() - 1.644853627 * region["std"].get<double>()),
              1e-6);
  EXPECT_EQ(region["unit"], "logit");
  EXPECT_EQ(info["functionals"][1]["unit"], "logit per pixel of the maps");
  // Of a difference: the first depth minus the second, a symmetric pair's median is near the depths'.
  const auto& difference = info["functionals"][3]["depth"];
  EXPECT_LT(difference["low_5"].get<double>(), difference["median"].get<double>());
  EXPECT_LT(difference["median"].get<double>(), difference["high_95"].get<double>());
  EXPECT_FALSE(info["functionals"][1].contains("depth"));  // a slope has none
  EXPECT_THAT(done.err, HasSubstr(", logit; depth 4."));
  EXPECT_THAT(done.err, HasSubstr(" m (90 %: "));

  ASSERT_EQ(run({"--pixel", "3,2", "--out", "p"}).code, 0);
  EXPECT_EQ(json("p/g/info.json")["pixels"][0]["depth"]["unit"], "relative");
}

TEST_F(SupnCovariance, RefusesOptionsWithoutEffect) {
  expect_user_error(run({"--pixel", "3,2", "--seed", "4", "--out", "o"}), "without --marginals");
  expect_user_error(run({"--marginals", "--scale", "5.4", "--out", "o"}), "without --pixel");
}

TEST_F(SupnCovariance, CountsPixelsOfTheImageWhereThereIsOne) {
  write_png(folder_ / "image.png", at::zeros({2 * kHeight, 3 * kWidth, 3}, at::kByte));

  ASSERT_EQ(run({"--image", "image.png", "--pixel", "31,15", "--out", "o"}).code, 0);

  const nlohmann::json pixel = json("o/g/info.json")["pixels"][0];
  EXPECT_EQ(pixel["map_x"], 10);
  EXPECT_EQ(pixel["map_y"], 7);
  EXPECT_EQ(pixel["x"], 31);
}

TEST_F(SupnCovariance, WritesExactMarginalsBesideThoseOfSamples) {
  ASSERT_EQ(run({"--marginals", "--out", "o"}).code, 0);

  const at::Tensor exact = marginal_variance(gaussian_)[0][0].sqrt();
  EXPECT_TRUE(close(array("o/g/marginal_std.npy"), exact));
  const double ratio = array("o/g/sample_std.npy").to(at::kDouble).div(exact).mean().item<double>();
  EXPECT_NEAR(ratio, 1.0, 0.2);
  EXPECT_THAT(files(), Not(Contains("o/g/covariance.npy")));
}

TEST_F(SupnCovariance, GivesDerivedQuantitiesExactly) {
  at::Tensor weights = at::zeros({kHeight, kWidth}, at::kDouble);
  weights[0][0] = 2.0;
  weights[5][5] = -1.0;
  write_npy(folder_ / "w.npy", weights);

  ASSERT_EQ(
      run({"--region", "4,3,2,3", "--difference", "1,1,2,1", "--functional", "w.npy", "--out", "o"})
          .code,
      0);

  const at::Tensor sigma = covariance();
  const auto std_of = [&](const at::Tensor& a) {
    return std::sqrt(a.matmul(sigma).dot(a).item<double>());
  };
  at::Tensor box = at::zeros({kHeight, kWidth}, at::kDouble);
  box.narrow(0, 3, 3).narrow(1, 4, 2).fill_(1.0 / 6.0);
  at::Tensor difference = at::zeros({kHeight, kWidth}, at::kDouble);
  difference[1][1] = 1.0;
  difference[1][2] = -1.0;
  const nlohmann::json list = json("o/g/info.json")["functionals"];
  ASSERT_EQ(list.size(), 5U) << list;  // mean, two slopes, difference, file
  EXPECT_EQ(list[0]["name"], "mean of region 4,3,2,3");
  EXPECT_NEAR(list[0]["std"], std_of(box.reshape({-1})), 1e-9);
  EXPECT_NEAR(list[0]["mean"], -2.0 + 0.02 * 4.5, 1e-6);
  EXPECT_NEAR(list[1]["mean"], 0.02, 1e-6);  // slope along x, logits a pixel
  EXPECT_NEAR(list[3]["std"], std_of(difference.reshape({-1})), 1e-9);
  EXPECT_NEAR(list[3]["mean"], -0.02, 1e-6);
  EXPECT_GT(list[3]["std_if_independent"], list[3]["std"]);
  EXPECT_NEAR(list[4]["std"], std_of(weights.reshape({-1})), 1e-9);
  EXPECT_NEAR(array("o/g/functionals.npy")[3][3].item<double>(),
              std::pow(list[3]["std"].get<double>(), 2),
              1e-12);
}

TEST_F(SupnCovariance, MapsHowFarCorrelationsReach) {
  ASSERT_EQ(run({"--local-correlation", "--out", "o"}).code, 0);

  const at::Tensor sigma = covariance();
  const auto rho = [&](std::int64_t a, std::int64_t b) {
    return (sigma[a][b] / (sigma[a][a] * sigma[b][b]).sqrt()).item<double>();
  };
  const std::int64_t pixel = 5 * kWidth + 6;
  EXPECT_NEAR(array("o/g/correlation_length_rows.npy")[5][6].item<double>(),
              -2.0 / std::log(rho(pixel, pixel + 2)),
              1e-5);
  EXPECT_NEAR(array("o/g/correlation_length_columns.npy")[5][6].item<double>(),
              -1.0 / std::log(rho(pixel, pixel + kWidth)),
              1e-5);
}

TEST_F(SupnCovariance, TakesOtherQuantitiesAndNamesThem) {
  write_gaussian(
      folder_ / "flow.safetensors", {gaussian_, "flow along x in pixels", {}}, at::kFloat);

  const AppRun done = run_app_program(
      "supn_covariance", {"--gaussian", "flow.safetensors", "--pixel", "1,1", "--out", "o"});

  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(json("o/flow/info.json")["quantity"], "flow along x in pixels");
  expect_user_error(
      run_app_program("supn_condition",
                      {"--gaussian", "flow.safetensors", "--known", "p.csv", "--out", "o"}),
      "holds a Gaussian over \"flow along x in pixels\"");
}

TEST_F(SupnCovariance, RefusesAFactorThatGrowsBeyondNumbers) {
  const at::Tensor zero = at::zeros({1, 1, kHeight, kWidth});
  const StructuredGaussian exploding(
      zero, zero - 40.0, at::full({1, 12, kHeight, kWidth}, 30.0), Neighbourhood(2));
  write_gaussian(folder_ / "huge.safetensors", {exploding, kLogitOfDisparity, {}}, at::kFloat);
  const std::vector<std::string> before = files();
  for (const auto& what : {std::vector<std::string>{"--pixel", "1,1"}, {"--marginals"}}) {
    std::vector<std::string> call{"--gaussian", "huge.safetensors", "--out", "o"};
    call.insert(call.end(), what.begin(), what.end());
    expect_user_error(run_app_program("supn_covariance", call), "not finite");
  }
  EXPECT_EQ(files(), before);
}

TEST_F(SupnCovariance, RefusesBadCallsAndWritesNothing) {
  write("text.npy", "no array");
  write_npy(folder_ / "small.npy", at::zeros({3, 3}));
  const std::vector<std::string> before = files();

  expect_user_error(run({"--out", "o"}), "nothing to compute");
  expect_user_error(run({"--pixel", "1,1"}), "--out is required");
  expect_user_error(run({"--pixel", "1", "--out", "o"}), "--pixel: expected X,Y");
  expect_user_error(run({"--pixel", "1,2,3", "--out", "o"}), "--pixel: expected X,Y");
  expect_user_error(run({"--pixel", "16,2", "--out", "o"}), "outside of the 16x12 pixels");
  expect_user_error(run({"--region", "1,1,0,2", "--out", "o"}), "at least 1");
  expect_user_error(run({"--region", "1,1,16,2", "--out", "o"}), "--region 16,2: outside");
  expect_user_error(run({"--functional", "text.npy", "--out", "o"}), "text.npy");
  expect_user_error(run({"--functional", "small.npy", "--out", "o"}), "[12,16]");
  expect_user_error(run({"--pixel", "1,1", "--image", "none.png", "--out", "o"}), "none.png");
  expect_user_error(
      run_app_program("supn_covariance", {"--checkpoint", "none", "--pixel", "1,1", "--out", "o"}),
      "--checkpoint needs --image");

  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace supn
