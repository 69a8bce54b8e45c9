#include "gaussian/kernels/rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace supn::row {
namespace {

template <typename T>
class Exponential : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Exponential, Types);

TYPED_TEST(Exponential, IsWithinTwoUlp) {
  using T = TypeParam;
  const T limit = std::log(std::numeric_limits<T>::max());
  std::vector<T> x;
  for (int i = -20000; i <= 20000; ++i) x.push_back(limit * static_cast<T>(i) / T{20001});
  std::vector<T> out(x.size());
  exponential<T>(out.data(), x.data(), T{1}, static_cast<std::int64_t>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double expected = std::exp(static_cast<long double>(x[i]));
    const T rounded = static_cast<T>(expected);
    const T ulp = std::nextafter(rounded, std::numeric_limits<T>::infinity()) - rounded;
    ASSERT_LE(std::abs(static_cast<long double>(out[i]) - expected), 2.0L * ulp) << x[i];
  }
}

TYPED_TEST(Exponential, KeepsTheLimits) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> x{
      infinity, -infinity, std::numeric_limits<T>::quiet_NaN(), 0, T{1e6}, T{-1e6}};
  std::vector<T> out(x.size());
  exponential<T>(out.data(), x.data(), T{1}, static_cast<std::int64_t>(x.size()));
  EXPECT_EQ(out[0], infinity);
  EXPECT_EQ(out[1], T{0});
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_EQ(out[3], T{1});
  EXPECT_EQ(out[4], infinity);
  EXPECT_EQ(out[5], T{0});
}

TYPED_TEST(Exponential, GivesTheSameBitsAtEveryPosition) {
  using T = TypeParam;
  const T value = static_cast<T>(-1.2345678);
  const std::vector<T> x(37, value);
  std::vector<T> out(x.size());
  exponential<T>(out.data(), x.data(), T{-1}, static_cast<std::int64_t>(x.size()));
  for (const T y : out) EXPECT_EQ(y, out[0]);
}

TEST(Sums, AddUpInDouble) {
  std::vector<float> x(1003, 0.1F);
  x[0] = 3e4F;
  const auto count = static_cast<std::int64_t>(x.size());
  const double tenth = static_cast<double>(0.1F);
  EXPECT_NEAR(sum<float>(x.data(), count), 3e4 + 1002 * tenth, 1e-9);
  EXPECT_NEAR(sum_of_squares<float>(x.data(), count), 9e8 + 1002 * tenth * tenth, 1e-5);
}

TEST(FusedProducts, RoundOnce) {
  // (1 + 2⁻¹²)² − (1 + 2⁻¹¹) is 2⁻²⁴, which a product rounded to float32 would lose.
  const std::vector<float> a(19, 1.0F + 0x1p-12F);
  std::vector<float> acc(19, -(1.0F + 0x1p-11F));
  add_products<float>(acc.data(), a.data(), a.data(), 19);
  for (const float value : acc) EXPECT_EQ(value, 0x1p-24F);
  std::vector<float> negative(19, 1.0F + 0x1p-11F);
  subtract_products<float>(negative.data(), a.data(), a.data(), 19);
  for (const float value : negative) EXPECT_EQ(value, -0x1p-24F);
}

}  // namespace
}  // namespace supn::row
