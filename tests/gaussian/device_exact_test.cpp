// What is computed in float64: covariances, functionals, conditioning, divergence.
#include <ATen/ops/full.h>

#include "dense_oracle.hpp"
#include "device_fixture.hpp"
#include "supn/gaussian/active_measurement.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/covariance.hpp"
#include "supn/gaussian/divergence.hpp"
#include "supn/gaussian/functional.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/whitening_test.hpp"

namespace supn::test {
namespace {

class ExactOnDevice : public DeviceTest {
 protected:
  // Three measurements of two pixels, one of them exact.
  static Observations observations() {
    return {indices({40, 600, 600}), numbers({0.5, -0.2, 0.1}), numbers({0.0, 0.01, 0.02})};
  }
};

TEST_P(ExactOnDevice, CovariancesAreThoseOfTheKernels) {
  const StructuredGaussian g = gaussian({2, 20, 40});
  const at::Tensor pixels = indices({0, 417, 799});
  expect_same(covariance_columns, g, pixels);
  expect_same(correlation_columns, g, pixels);
  expect_same(marginal_variance, g);
  expect_same([](const StructuredGaussian& of) { return local_covariances(of).values; }, g);
  const at::Tensor weights = random_tensor({2, 20, 40}, 3);
  expect_same(functional_mean, g, weights);
  expect_same(functional_covariance, g, weights);
  expect_same(functional_variance, g, weights);
}

TEST_P(ExactOnDevice, DivergenceAndWhitenessAreThoseOfTheKernels) {
  const StructuredGaussian g = gaussian({2, 12, 16});
  const StructuredGaussian other =
      random_gaussian(order().neighbourhood, {2, 12, 16}, 9).to(order().dtype);
  expect_same(
      [&](const StructuredGaussian& of) { return kl_divergence(of, other.to(of.mean().device())); },
      g);
  expect_same([](const StructuredGaussian& of,
                 const at::Tensor& d) { return whitening_test(of, d).autocorrelation; },
              g,
              field(g));
}

TEST_P(ExactOnDevice, ConditioningIsThatOfTheKernels) {
  const StructuredGaussian g = gaussian({1, 20, 40});
  for (const ConditioningMethod method : {ConditioningMethod::kDense, ConditioningMethod::kPcg}) {
    const auto conditioned = [&](const StructuredGaussian& of) {
      return ConditionedGaussian(of, observations(), {.method = method, .tolerance = 1e-12});
    };
    expect_same([&](const StructuredGaussian& of) { return conditioned(of).mean(); }, g);
    expect_same(
        [&](const StructuredGaussian& of) {
          return conditioned(of).samples(3, {1, 4});
        },
        g);
    if (method == ConditioningMethod::kPcg) continue;
    expect_same([&](const StructuredGaussian& of) { return conditioned(of).variance(); }, g);
    expect_same([&](const StructuredGaussian& of) { return conditioned(of).distances(); }, g);
    expect_same(
        [&](const StructuredGaussian& of) {
          return at::full({1}, conditioned(of).log_evidence(), of.mean().options());
        },
        g);
  }
}

TEST_P(ExactOnDevice, ConditioningWithoutObservationsIsThePrior) {
  const StructuredGaussian g = gaussian({1, 9, 13});
  const Observations none{indices({}), numbers({})};
  expect_same([&](const StructuredGaussian& of) { return ConditionedGaussian(of, none).mean(); },
              g);
  expect_same(
      [&](const StructuredGaussian& of) { return ConditionedGaussian(of, none).variance(); }, g);
  expect_same(
      [&](const StructuredGaussian& of) {
        return ConditionedGaussian(of, none).samples(1, {0, 2});
      },
      g);
}

TEST_P(ExactOnDevice, PlansTheSameMeasurements) {
  const StructuredGaussian g = gaussian({1, 12, 16});
  const auto planned = [&](const at::Device& device) {
    return plan_measurements(g.to(device), {.count = 3, .noise_variance = 0.01}).pixels.cpu();
  };
  EXPECT_TRUE(at_place(place(), planned).equal(planned(at::Device(at::kCPU))));
}

SUPN_INSTANTIATE_ON_DEVICES(ExactOnDevice);

}  // namespace
}  // namespace supn::test
