#include "supn/network/kriging.hpp"

#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/linalg_solve.h>
#include <gtest/gtest.h>

#include "gaussian/gaussian_fixture.hpp"

namespace supn {
namespace {

constexpr ImageSize kSize{40, 48};

struct Case {
  std::int64_t classes;
  Smoothness smoothness;
  double std_error;          // largest, relative to the field's
  double correlation_error;  // largest
};

StartingField field_of(Smoothness smoothness) {
  return {.std = 0.5, .length = 0.25, .smoothness = smoothness};
}

class KrigingOfAField : public ::testing::TestWithParam<Case> {};

TEST_P(KrigingOfAField, HasTheFieldsCovariance) {
  const Neighbourhood order(CoarseToFine{.classes = GetParam().classes});
  const StartingField field = field_of(GetParam().smoothness);
  const Kriging start = kriging(order, kSize, field);
  const StructuredGaussian gaussian(at::zeros({1, 1, kSize.height, kSize.width}, at::kDouble),
                                    start.log_diagonal.to(at::kDouble),
                                    (-start.weights * start.log_diagonal.exp()).to(at::kDouble),
                                    order);

  const at::Tensor lt = test::dense_factor_transpose(gaussian, 0);
  const at::Tensor covariance = at::linalg_inv(lt).matmul(at::linalg_inv(lt).t());

  const at::Tensor std = covariance.diagonal().sqrt();
  EXPECT_LT((std / field.std - 1.0).abs().max().item<double>(), GetParam().std_error);
  const std::int64_t centre = kSize.height / 2 * kSize.width + kSize.width / 2;
  const at::Tensor row = covariance[centre] / (std * std[centre]);
  for (std::int64_t pixel = 0; pixel < row.numel(); ++pixel) {
    const auto dy = static_cast<double>(pixel / kSize.width - kSize.height / 2);
    const auto dx = static_cast<double>(pixel % kSize.width - kSize.width / 2);
    const double expected = matern_correlation(
        field.smoothness, std::hypot(dy, dx) / (field.length * static_cast<double>(kSize.width)));
    ASSERT_NEAR(row[pixel].item<double>(), expected, GetParam().correlation_error) << pixel;
  }
}

INSTANTIATE_TEST_SUITE_P(Fields,
                         KrigingOfAField,
                         ::testing::Values(Case{12, Smoothness::kHalf, 0.03, 0.06},
                                           Case{3, Smoothness::kHalf, 0.07, 0.06},
                                           Case{12, Smoothness::kThreeHalves, 0.05, 0.08},
                                           Case{12, Smoothness::kFiveHalves, 0.1, 0.12}));

TEST(Kriging, SolvesTheNormalEquationsOfThePixelsNeighbours) {
  const Neighbourhood order(CoarseToFine{});
  const StartingField field = field_of(Smoothness::kThreeHalves);
  const Kriging start = kriging(order, kSize, field);
  const double length = field.length * static_cast<double>(kSize.width);
  const PixelClass pixels = order.classes(kSize).back();
  const std::int64_t row = pixels.row + 4 * pixels.stride;
  const std::int64_t column = pixels.column + 4 * pixels.stride;
  const auto k = static_cast<std::int64_t>(pixels.offsets.size());
  at::Tensor among = at::zeros({k, k}, at::kDouble);
  at::Tensor to_pixel = at::zeros({k}, at::kDouble);
  const auto correlation = [&](const Offset& a, const Offset& b) {
    const double distance =
        std::hypot(static_cast<double>(a.dy - b.dy), static_cast<double>(a.dx - b.dx));
    return matern_correlation(field.smoothness, distance / length);
  };
  for (std::int64_t i = 0; i < k; ++i) {
    const Offset& a = pixels.offsets[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < k; ++j) {
      among[i][j] = correlation(a, pixels.offsets[static_cast<std::size_t>(j)]);
    }
    to_pixel[i] = correlation(a, {0, 0});
  }

  const at::Tensor weights = at::linalg_solve(among, to_pixel);

  EXPECT_TRUE(start.weights[0].select(1, row).select(1, column).allclose(
      weights.to(at::kFloat), 1e-4, 1e-5));
  const double variance = 1.0 - weights.dot(to_pixel).item<double>();
  EXPECT_NEAR(start.log_diagonal[0][0][row][column].item<double>(),
              -0.5 * std::log(field.std * field.std * variance),
              1e-4);
}

TEST(Kriging, LeavesOutNeighboursThatDoNotExist) {
  const Neighbourhood order(CoarseToFine{.neighbours = 20});
  const Kriging start = kriging(order, kSize, field_of(Smoothness::kHalf));
  at::Tensor expected = at::zeros_like(start.neighbours);
  auto exists = expected.accessor<float, 4>();
  for (const PixelClass& pixels : order.classes(kSize)) {
    for (std::int64_t y = pixels.row; y < kSize.height; y += pixels.stride) {
      for (std::int64_t x = pixels.column; x < kSize.width; x += pixels.stride) {
        for (std::size_t k = 0; k < pixels.offsets.size(); ++k) {
          const auto [dy, dx] = pixels.offsets[k];
          const bool is_inside =
              y + dy >= 0 && y + dy < kSize.height && x + dx >= 0 && x + dx < kSize.width;
          exists[0][static_cast<std::int64_t>(k)][y][x] = is_inside ? 1.0F : 0.0F;
        }
      }
    }
  }

  EXPECT_TRUE(start.neighbours.equal(expected));
  EXPECT_TRUE(start.weights.mul(1 - expected).eq(0).all().item<bool>());
}

TEST(MaternCorrelation, HasItsClosedForms) {
  EXPECT_NEAR(matern_correlation(Smoothness::kHalf, 1.0), 0.3678794, 1e-7);
  EXPECT_NEAR(matern_correlation(Smoothness::kThreeHalves, 1.0), 0.4833577, 1e-7);
  EXPECT_NEAR(matern_correlation(Smoothness::kFiveHalves, 1.0), 0.5239941, 1e-7);
  for (const auto& [name, smoothness] : OptionNames<Smoothness>::values) {
    EXPECT_EQ(matern_correlation(smoothness, 0.0), 1.0) << name;
  }
}

}  // namespace
}  // namespace supn
