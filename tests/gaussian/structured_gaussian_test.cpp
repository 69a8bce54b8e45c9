#include "supn/gaussian/structured_gaussian.hpp"

#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "gaussian_fixture.hpp"

namespace supn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "";
}

at::Tensor map(std::int64_t channels, at::ScalarType dtype = at::kFloat) {
  return at::zeros({2, channels, 4, 5}, at::TensorOptions().dtype(dtype));
}

TEST(StructuredGaussian, KnowsItsSizes) {
  const StructuredGaussian gaussian(map(1), map(1), map(12), Neighbourhood(2));
  EXPECT_EQ(gaussian.batch(), 2);
  EXPECT_EQ(gaussian.size(), (ImageSize{4, 5}));
  EXPECT_EQ(gaussian.pixels(), 20);
}

TEST(StructuredGaussian, RejectsAWrongNumberOfChannelsByName) {
  const auto make = [] { StructuredGaussian(map(1), map(1), map(12), Neighbourhood(1)); };
  EXPECT_THAT(
      message_of(make),
      AllOf(HasSubstr("off_diagonal"), HasSubstr("[2, 4, 4, 5]"), HasSubstr("[2, 12, 4, 5]")));
}

TEST(StructuredGaussian, RejectsAWrongDiagonalByName) {
  const auto make = [] { StructuredGaussian(map(1), map(2), map(4), Neighbourhood(1)); };
  EXPECT_THAT(message_of(make), AllOf(HasSubstr("log_diagonal"), HasSubstr("[2, 2, 4, 5]")));
}

TEST(StructuredGaussian, RejectsMixedDtypes) {
  const auto make = [] {
    StructuredGaussian(map(1), map(1), map(4, at::kDouble), Neighbourhood(1));
  };
  EXPECT_THAT(message_of(make),
              AllOf(HasSubstr("off_diagonal"), HasSubstr("Float"), HasSubstr("Double")));
}

TEST(StructuredGaussian, RejectsHalfPrecisionAndUndefinedMaps) {
  const auto half = [] {
    StructuredGaussian(map(1, at::kHalf), map(1, at::kHalf), map(4, at::kHalf), Neighbourhood(1));
  };
  const auto undefined = [] { StructuredGaussian(map(1), at::Tensor(), map(4), Neighbourhood(1)); };
  EXPECT_THAT(message_of(half), HasSubstr("float32 or float64"));
  EXPECT_THAT(message_of(undefined), HasSubstr("log_diagonal is an undefined tensor"));
}

TEST(StructuredGaussian, TakesOneImageOut) {
  const StructuredGaussian gaussian = test::random_gaussian(1);
  const StructuredGaussian image = gaussian.image(1);
  EXPECT_EQ(image.batch(), 1);
  EXPECT_TRUE(image.off_diagonal()[0].equal(gaussian.off_diagonal()[1]));
  EXPECT_TRUE(image.mean()[0].equal(gaussian.mean()[1]));
  EXPECT_TRUE(image.log_diagonal()[0].equal(gaussian.log_diagonal()[1]));
  EXPECT_THROW(gaussian.image(2), c10::Error);
}

TEST(StructuredGaussian, LaterRowsHaveTheirPartOfARasterFactor) {
  const StructuredGaussian gaussian = test::random_gaussian(2, {1, 5, 6});
  const StructuredGaussian rest = gaussian.rows_from(3);
  EXPECT_EQ(rest.height(), 2);
  const at::Tensor transpose = test::dense_factor_transpose(gaussian, 0);
  EXPECT_TRUE(test::dense_factor_transpose(rest, 0).equal(transpose.slice(0, 18).slice(1, 18)));
  EXPECT_THROW(gaussian.rows_from(5), c10::Error);
  EXPECT_THROW(test::random_gaussian(Neighbourhood(CoarseToFine{})).rows_from(1), c10::Error);
}

TEST(StructuredGaussian, ConvertsAndDetachesAllMaps) {
  StructuredGaussian gaussian = test::random_gaussian(2);
  gaussian.off_diagonal().requires_grad_();
  EXPECT_EQ(gaussian.to(at::kFloat).off_diagonal().scalar_type(), at::kFloat);
  EXPECT_EQ(gaussian.to(at::kFloat).mean().scalar_type(), at::kFloat);
  EXPECT_FALSE(gaussian.detach().off_diagonal().requires_grad());
}

}  // namespace
}  // namespace supn
