#include "supn/gaussian/noise.hpp"

#include <numbers>

#include "gaussian/kernels/normals.hpp"
#include "gaussian/ops/ops.hpp"
#include "gaussian_fixture.hpp"
#include "instruction_set_fixture.hpp"
#include "supn/gaussian/philox.hpp"

namespace supn::test {
namespace {

at::TensorOptions of(at::ScalarType dtype) { return at::TensorOptions().dtype(dtype); }

at::Tensor noise(std::vector<std::uint64_t> seeds,
                 const SampleRange& range,
                 const ImageSize& size,
                 at::ScalarType dtype = at::kDouble) {
  return standard_normal(seeds, range, size, of(dtype));
}

TEST(StandardNormal, IsBoxMullerOfPhiloxWords) {
  const std::uint64_t seed = 0x123456789abcdef0;
  const at::Tensor eps = noise({seed}, {7, 1}, {5, 67}).reshape({-1});
  for (std::uint64_t pixel = 0; pixel < 5 * 67; ++pixel) {
    const auto words =
        Philox4x32::random_words(Philox4x32::counter_of(pixel / 4, 7), Philox4x32::key_of(seed));
    const std::size_t pair = pixel % 4 / 2 * 2;
    const double radius = std::sqrt(-2 * std::log((words[pair] + 0.5) * 0x1p-32));
    const double angle = 2 * std::numbers::pi * words[pair + 1] * 0x1p-32;
    const double expected = radius * (pixel % 2 == 0 ? std::cos(angle) : std::sin(angle));
    ASSERT_NEAR(eps[static_cast<std::int64_t>(pixel)].item<double>(), expected, 1e-14) << pixel;
  }
}

TEST(StandardNormal, FloatFollowsDouble) {
  const at::Tensor exact = noise({1, 2}, {0, 3}, {64, 101});
  const at::Tensor rounded = noise({1, 2}, {0, 3}, {64, 101}, at::kFloat);
  EXPECT_EQ(rounded.scalar_type(), at::kFloat);
  EXPECT_LT(largest_difference(rounded, exact), 1e-5);
}

// What the kernels make of a stream, with every kind of end.
template <typename T>
std::vector<T> drawn(const NoiseStream& stream) {
  std::vector<T> all;
  for (const std::int64_t count : {1, 31, 32, 127, 128, 1000}) {
    std::vector<T> normals(static_cast<std::size_t>(count));
    fill_standard_normal(normals.data(), stream, count);
    all.insert(all.end(), normals.begin(), normals.end());
  }
  return all;
}

template <typename T>
void expect_the_same_bits_for_every_instruction_set() {
  for (std::uint64_t i = 0; i < 16; ++i) {
    // Sample numbers and blocks that carry into their upper halves.
    const NoiseStream stream{
        0x123456789abcdef0 * i, (std::uint64_t{1} << 32) - 4 + i, (std::uint64_t{1} << 32) - 9 * i};
    const std::vector<T> portable = in_portable_form([&] { return drawn<T>(stream); });
    for_each_instruction_set([&] { ASSERT_EQ(drawn<T>(stream), portable); });
  }
}

TEST(StandardNormal, HasTheSameBitsForEveryInstructionSet) {
  expect_the_same_bits_for_every_instruction_set<float>();
  expect_the_same_bits_for_every_instruction_set<double>();
}

// By the operations that other devices run, with sample numbers of more than 32 bits and an odd tail.
TEST(StandardNormal, IsTheSameToRoundingWhereThereAreNoKernels) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const auto drawn = [&] {
      return noise({0x123456789abcdef0, 1}, {(std::int64_t{1} << 32) - 2, 4}, {33, 67}, dtype);
    };
    const at::Tensor kernels = drawn();
    const device::WithoutKernels without_kernels;
    const at::Tensor alone = drawn();
    EXPECT_EQ(alone.scalar_type(), dtype);
    EXPECT_LT(largest_difference(alone, kernels), dtype == at::kFloat ? 1e-5 : 1e-13);
  }
}

TEST(StandardNormal, HasTheMomentsOfANormal) {
  const at::Tensor eps = noise({3}, {0, 16}, {256, 256}, at::kFloat).to(at::kDouble);
  const double count = static_cast<double>(eps.numel());
  EXPECT_NEAR(eps.mean().item<double>(), 0.0, 4 / std::sqrt(count));
  EXPECT_NEAR(eps.square().mean().item<double>(), 1.0, 4 * std::sqrt(2 / count));
  EXPECT_NEAR(eps.pow(3).mean().item<double>(), 0.0, 4 * std::sqrt(15 / count));
  EXPECT_NEAR(eps.pow(4).mean().item<double>(), 3.0, 4 * std::sqrt(96 / count));
  const double tail = eps.abs().gt(3.0).to(at::kDouble).mean().item<double>();
  EXPECT_NEAR(tail, 0.0026998, 4 * std::sqrt(0.0027 / count));
}

TEST(StandardNormal, IsUncorrelatedBetweenNeighbouringPixelsSamplesAndSeeds) {
  const at::Tensor eps = noise({3, 4}, {0, 2}, {256, 256});
  const double bound = 4 / 256.0;
  EXPECT_LT(std::abs(eps[0][0].mul(eps[0][1]).mean().item<double>()), bound);
  EXPECT_LT(std::abs(eps[0][0].mul(eps[1][0]).mean().item<double>()), bound);
  const at::Tensor flat = eps[0][0].reshape({-1});
  for (std::int64_t lag = 1; lag <= 4; ++lag) {
    const std::int64_t count = flat.size(0) - lag;
    const at::Tensor products = flat.narrow(0, 0, count).mul(flat.narrow(0, lag, count));
    EXPECT_LT(std::abs(products.mean().item<double>()), bound) << "lag " << lag;
  }
}

TEST(StandardNormal, BitsDoNotDependOnBatchSamplesAndThreads) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const ImageSize size{97, 131};  // more than one piece of work, and an odd tail
    const ThreadCount one(1);
    const at::Tensor all = noise({11, 12, 13}, {5, 4}, size, dtype);
    const ThreadCount many(3);
    EXPECT_TRUE(noise({11, 12, 13}, {5, 4}, size, dtype).equal(all));
    EXPECT_TRUE(noise({13}, {7, 1}, size, dtype)[0][0].equal(all[2][2]));
  }
}

TEST(StandardNormal, IsTheSamePrefixForASmallerImageOfTheSameWidth) {
  const at::Tensor large = noise({5}, {0, 1}, {9, 13}, at::kFloat);
  EXPECT_TRUE(noise({5}, {0, 1}, {2, 13}, at::kFloat).equal(large.narrow(2, 0, 2)));
}

TEST(StandardNormal, RejectsWhatCannotBeDrawn) {
  EXPECT_THROW(noise({}, {0, 1}, {2, 2}), c10::Error);
  EXPECT_THROW(noise({1}, {0, 0}, {2, 2}), c10::Error);
  EXPECT_THROW(noise({1}, {-1, 1}, {2, 2}), c10::Error);
  EXPECT_THROW(noise({1}, {0, 1}, {0, 2}), c10::Error);
  EXPECT_THROW(noise({1}, {0, 1}, {2, 2}, at::kHalf), c10::Error);
}

TEST(ImageSeed, DependsOnTheRunAndTheNameAlone) {
  EXPECT_EQ(image_seed(1, "drive/0000000001"), image_seed(1, "drive/0000000001"));
  EXPECT_NE(image_seed(1, "drive/0000000001"), image_seed(1, "drive/0000000002"));
  EXPECT_NE(image_seed(1, "drive/0000000001"), image_seed(2, "drive/0000000001"));
  EXPECT_NE(image_seed(0, ""), image_seed(1, ""));
}

}  // namespace
}  // namespace supn::test
