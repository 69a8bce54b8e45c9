#include "supn/gaussian/active_measurement.hpp"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>
#include <set>

#include "dense_oracle.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/marginal.hpp"

namespace supn::test {
namespace {

// Σ over the region of the marginal variances given that `pixels` are measured.
double total_given(const StructuredGaussian& g,
                   const std::vector<std::int64_t>& pixels,
                   double noise_variance,
                   const at::Tensor& region) {
  const auto count = static_cast<std::int64_t>(pixels.size());
  ConditionedGaussian conditioned(
      g,
      {indices(pixels), random_tensor({count}, 1), numbers({noise_variance})},
      {.method = ConditioningMethod::kDense});
  return conditioned.variance().view({6, 8}).mul(region).sum().item<double>();
}

at::Tensor everywhere() {
  return at::zeros({6, 8}, at::TensorOptions().dtype(at::kBool)).fill_(true);
}

at::Tensor left_half() {
  at::Tensor region = at::zeros({6, 8}, at::TensorOptions().dtype(at::kBool));
  region.narrow(1, 0, 4).fill_(true);
  return region;
}

using Active = ByOrder;

TEST_P(Active, EveryChoiceIsTheBestOfItsStep) {
  const StructuredGaussian g = random_gaussian(GetParam(), {1, 6, 8});
  for (const double noise_variance : {0.0, 0.3}) {
    for (const at::Tensor& region : {everywhere(), left_half()}) {
      const ActiveMeasurement plan =
          plan_measurements(g, {.count = 4, .noise_variance = noise_variance, .region = region});
      ASSERT_EQ(plan.pixels.size(0), 4);
      std::vector<std::int64_t> chosen;
      for (std::int64_t step = 0; step <= 4; ++step) {
        EXPECT_NEAR(plan.total_variance[step].item<double>(),
                    total_given(g, chosen, noise_variance, region),
                    1e-9);
        if (step == 4) break;
        double best = std::numeric_limits<double>::infinity();
        for (std::int64_t pixel = 0; pixel < 48; ++pixel) {
          // A pixel that is measured twice with noise is a candidate too.
          if (noise_variance == 0.0 && std::count(chosen.begin(), chosen.end(), pixel) > 0)
            continue;
          chosen.push_back(pixel);
          best = std::min(best, total_given(g, chosen, noise_variance, region));
          chosen.pop_back();
        }
        EXPECT_NEAR(plan.total_variance[step + 1].item<double>(), best, 1e-9);
        chosen.push_back(plan.pixels[step].item<std::int64_t>());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Active, testing::ValuesIn(small_orders()), small_order_name);

TEST(PlanMeasurements, StartsFromWhatIsMeasured) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  const ActiveMeasurement plan =
      plan_measurements(g, {.count = 2, .noise_variance = 0.1, .measured = indices({20, 27})});
  EXPECT_NEAR(
      plan.total_variance[0].item<double>(), total_given(g, {20, 27}, 0.1, everywhere()), 1e-9);
  const std::int64_t first = plan.pixels[0].item<std::int64_t>();
  EXPECT_NEAR(plan.total_variance[1].item<double>(),
              total_given(g, {20, 27, first}, 0.1, everywhere()),
              1e-9);
}

TEST(PlanMeasurements, ChoosesAmongTheCandidates) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  const ActiveMeasurement plan = plan_measurements(g, {.count = 2, .candidates = indices({5, 40})});
  EXPECT_EQ(plan.pixels.sum().item<std::int64_t>(), 45);
}

TEST(PlanMeasurements, TakesAVarianceThatIsAtHand) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  const ActiveMeasurement computed = plan_measurements(g, {.count = 3});
  const ActiveMeasurement given =
      plan_measurements(g, {.count = 3, .variance = marginal_variance(g)});
  EXPECT_TRUE(given.pixels.equal(computed.pixels));
  EXPECT_TRUE(given.total_variance.equal(computed.total_variance));
  const at::Tensor other = marginal_variance(random_gaussian(2, {1, 6, 9}));
  EXPECT_THROW(plan_measurements(g, {.variance = other}), c10::Error);
}

TEST(PlanMeasurements, IsGivenUpByWhatTheCheckThrows) {
  const StructuredGaussian g = random_gaussian(1, {1, 96, 200});
  int calls = 0;
  const auto check = [&] {
    if (++calls == 2) throw std::runtime_error("enough");
  };
  EXPECT_THROW(plan_measurements(g, {.check = check}), std::runtime_error);
  EXPECT_EQ(calls, 2);
}

TEST(PlanMeasurements, EndsWhenNothingIsLeftToReduce) {
  const StructuredGaussian g = random_gaussian(1, {1, 2, 3});
  const ActiveMeasurement plan = plan_measurements(g, {.count = 100});
  EXPECT_EQ(plan.pixels.size(0), 6);
  EXPECT_EQ(plan.total_variance.size(0), 7);
  EXPECT_LT(plan.total_variance[6].item<double>(), 1e-12);
}

TEST(PlanMeasurements, OfNothingGivesThePriorsVariance) {
  const StructuredGaussian g = random_gaussian(1, {1, 6, 8});
  const ActiveMeasurement plan = plan_measurements(g, {.count = 0});
  EXPECT_EQ(plan.pixels.numel(), 0);
  EXPECT_NEAR(plan.total_variance.item<double>(), dense_variance(g).sum().item<double>(), 1e-10);
}

TEST(PlanMeasurements, SpreadsItsGridOverALargeImage) {
  const StructuredGaussian g = random_gaussian(1, {1, 48, 100});
  const at::Tensor pixels = plan_measurements(g, {.count = 150}).pixels;
  ASSERT_EQ(pixels.size(0), 150);
  std::set<std::int64_t> distinct;
  for (std::int64_t i = 0; i < 150; ++i) distinct.insert(pixels[i].item<std::int64_t>());
  EXPECT_EQ(distinct.size(), 150);
  EXPECT_LT(*distinct.begin(), 1000);
  EXPECT_GT(*distinct.rbegin(), 3800);
}

TEST(PlanMeasurements, TakesAGridAsCoarseAsAskedFor) {
  const StructuredGaussian g = random_gaussian(1, {1, 6, 8});
  const at::Tensor pixels = plan_measurements(g, {.count = 48, .grid_pixels = 12}).pixels;
  ASSERT_EQ(pixels.size(0), 12);
  EXPECT_EQ(pixels.min().item<std::int64_t>(), 9);  // of cells of 2 × 2
  EXPECT_EQ(pixels.max().item<std::int64_t>(), 47);
}

TEST(PlanMeasurements, NamesWhatIsWrong) {
  const StructuredGaussian g = random_gaussian(1, {1, 6, 8});
  EXPECT_THROW(plan_measurements(random_gaussian(1), {}), c10::Error);
  EXPECT_THROW(plan_measurements(g, {.count = -1}), c10::Error);
  EXPECT_THROW(plan_measurements(g, {.grid_pixels = 0}), c10::Error);
  EXPECT_THROW(plan_measurements(g, {.noise_variance = NAN}), c10::Error);
  EXPECT_THROW(plan_measurements(g, {.candidates = indices({48})}), c10::Error);
  EXPECT_THROW(plan_measurements(g, {.region = everywhere().narrow(0, 0, 5)}), c10::Error);
  EXPECT_THROW(plan_measurements(g, {.region = everywhere().logical_not()}), c10::Error);
}

}  // namespace
}  // namespace supn::test
