// The solves bit for bit against one scalar chain of fused multiply-adds a pixel, whatever the
// kernel: many samples in lanes, few in a wavefront of rows, any width, any factor.
#include <ATen/Dispatch.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <cstring>

#include "dense_oracle.hpp"
#include "gaussian/kernels/rows.hpp"
#include "gaussian/ops/cpu/sample_groups.hpp"
#include "instruction_set_fixture.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn::test {
namespace {

// The order of operations: rows from the farthest on, each from left to right; then the own row,
// nearest last.
std::vector<Offset> operation_order(std::int64_t radius) {
  std::vector<Offset> order;
  for (std::int64_t dy = radius; dy >= 1; --dy) {
    for (std::int64_t dx = -radius; dx <= radius; ++dx) order.push_back({dy, dx});
  }
  for (std::int64_t dx = radius; dx >= 1; --dx) order.push_back({0, dx});
  return order;
}

std::int64_t channel_of(const Neighbourhood& neighbourhood, const Offset& offset) {
  const auto& offsets = neighbourhood.offsets();
  return std::find(offsets.begin(), offsets.end(), offset) - offsets.begin();
}

// One image and sample; sign = 1 for L⁻ᵀ, which reads ψ at the pixel, −1 for L⁻¹, which reads it at
// the neighbour.
template <typename T>
void solve_by_the_chain(const StructuredGaussian& g, const T* b, T* s, std::int64_t sign) {
  const std::int64_t height = g.height();
  const std::int64_t width = g.width();
  const at::Tensor psi = g.off_diagonal().contiguous();
  const at::Tensor phi = g.log_diagonal().contiguous();
  std::vector<T> inverse(static_cast<std::size_t>(g.pixels()));
  row::exponential<T>(inverse.data(), phi.const_data_ptr<T>(), T{-1}, g.pixels());
  for (std::int64_t i = 0; i < g.pixels(); ++i) {
    const std::int64_t n = sign > 0 ? g.pixels() - 1 - i : i;
    T value = b[n];
    for (const Offset& offset : operation_order(g.neighbourhood().radius())) {
      const std::int64_t y = n / width + sign * offset.dy;
      const std::int64_t x = n % width + sign * offset.dx;
      if (y < 0 || y >= height || x < 0 || x >= width) continue;
      const std::int64_t at = sign > 0 ? n : y * width + x;
      const std::int64_t k = channel_of(g.neighbourhood(), offset);
      value = std::fma(-psi.const_data_ptr<T>()[k * g.pixels() + at], s[y * width + x], value);
    }
    s[n] = value * inverse[static_cast<std::size_t>(n)];
  }
}

at::Tensor solved_by_the_chain(const StructuredGaussian& g, const at::Tensor& rhs, int sign) {
  const at::Tensor b = rhs.contiguous();
  at::Tensor result = at::zeros_like(b);
  AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "solved_by_the_chain", [&] {
    for (std::int64_t i = 0; i < b.size(0) * b.size(1); ++i) {
      solve_by_the_chain<scalar_t>(g.image(i / b.size(1)),
                                   b.const_data_ptr<scalar_t>() + i * g.pixels(),
                                   result.mutable_data_ptr<scalar_t>() + i * g.pixels(),
                                   sign);
    }
  });
  return result;
}

// Also the signs of zeros; which of several NaNs a chain ends in is left open.
bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  const at::ScalarType word = a.scalar_type() == at::kDouble ? at::kLong : at::kInt;
  const at::Tensor equal = a.contiguous().view(word).eq(b.contiguous().view(word));
  return equal.logical_or(a.isnan().logical_and(b.isnan())).all().item<bool>();
}

StructuredGaussian with_weights(const StructuredGaussian& g, double weight) {
  return {g.mean(),
          at::zeros_like(g.log_diagonal()),
          at::full_like(g.off_diagonal(), weight),
          g.neighbourhood()};
}

struct Factor {
  const char* name;
  StructuredGaussian (*make)(std::int64_t radius, const GaussianShape& shape);
};

const Factor kFactors[] = {
    {"Well",
     [](std::int64_t radius, const GaussianShape& shape) {
       return random_gaussian(radius, shape);
     }},
    // Weights that sum to 0.99: the edge of what an absolutely summable recursion may be.
    {"Edge",
     [](std::int64_t radius, const GaussianShape& shape) {
       const auto count = static_cast<double>(std::max<std::int64_t>(1, 2 * radius * (radius + 1)));
       return with_weights(random_gaussian(radius, shape), -0.99 / count);
     }},
    // Σ|ψ|/e^φ is 13 at radius 2: smooth fields.
    {"Smooth",
     [](std::int64_t radius, const GaussianShape& shape) {
       return radius == 0 ? random_gaussian(0, shape) : smooth_gaussian(radius, shape);
     }},
    // Overflows to infinities and their differences.
    {"Exploding",
     [](std::int64_t radius, const GaussianShape& shape) {
       return with_weights(random_gaussian(radius, shape), -1e30);
     }},
};

class Substitution : public testing::TestWithParam<std::tuple<Case, Factor>> {
 protected:
  StructuredGaussian gaussian(const GaussianShape& shape) const {
    const auto& [c, factor] = GetParam();
    return factor.make(c.neighbourhood.radius(), shape).to(c.dtype);
  }
  at::Tensor field(const StructuredGaussian& g, std::int64_t samples) const {
    return random_tensor({g.batch(), samples, g.height(), g.width()}, 3).to(g.mean().scalar_type());
  }
};

void expect_the_chain(const StructuredGaussian& g, const at::Tensor& b) {
  const at::Tensor later = solved_by_the_chain(g, b, 1);
  const at::Tensor earlier = solved_by_the_chain(g, b, -1);
  for_each_instruction_set([&] {
    EXPECT_TRUE(same_bits(solve_factor_transpose(g, b), later)) << "transpose " << b.sizes();
    EXPECT_TRUE(same_bits(solve_factor(g, b), earlier)) << b.sizes();
  });
}

TEST_P(Substitution, IsTheChainForAnySize) {
  for (const auto& [height, width] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 4}, {4, 5}, {9, 16}, {11, 37}, {19, 131}}) {
    const StructuredGaussian g = gaussian({1, height, width});
    for (const std::int64_t samples : {1, 9}) expect_the_chain(g, field(g, samples));
  }
}

TEST_P(Substitution, IsTheChainForAnyNumberOfSamplesAndThreads) {
  const StructuredGaussian g = gaussian({2, 5, 18});
  for (const int threads : {1, 3}) {
    const ThreadCount count(threads);
    for (const std::int64_t samples : {1, 4, 5, 8, 16, 17, 33, 70})
      expect_the_chain(g, field(g, samples));
  }
}

// Large enough for several threads to share a sample's rows.
TEST_P(Substitution, IsTheChainForOneLargeSample) {
  for (const auto& [height, width] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {8, 64}, {9, 65}, {17, 70}, {24, 91}, {63, 523}}) {
    const StructuredGaussian g = gaussian({1, height, width});
    for (const int threads : {2, 4}) {
      const ThreadCount count(threads);
      expect_the_chain(g, field(g, 1));
    }
  }
}

TEST_P(Substitution, IsTheChainForStridedTensors) {
  const StructuredGaussian g = gaussian({2, 6, 21});
  const at::Tensor turned = g.off_diagonal().transpose(2, 3).contiguous().transpose(2, 3);
  const StructuredGaussian strided(g.mean(), g.log_diagonal(), turned, g.neighbourhood());
  const at::Tensor b = field(g, 20).permute({0, 1, 3, 2}).contiguous().permute({0, 1, 3, 2});
  ASSERT_FALSE(b.is_contiguous());
  expect_the_chain(strided, b);
  expect_the_chain(strided, b.slice(1, 0, 20, 2));
}

INSTANTIATE_TEST_SUITE_P(All,
                         Substitution,
                         testing::Combine(testing::ValuesIn(raster_cases()),
                                          testing::ValuesIn(kFactors)),
                         [](const auto& parameters) {
                           const Case& c = std::get<0>(parameters.param);
                           return std::string(std::get<1>(parameters.param).name) + "Radius" +
                                  std::to_string(c.neighbourhood.radius()) +
                                  (c.dtype == at::kDouble ? "Double" : "Float");
                         });

// Results of this size are written past the caches.
TEST(ManySamples, HaveTheBitsOfEachAlone) {
  for (const std::int64_t radius : {1, 2}) {
    const StructuredGaussian g = random_gaussian(radius, {1, 130, 832}).to(at::kFloat);
    const at::Tensor b = random_tensor({1, 43, 130, 832}, 3).to(at::kFloat);
    for_each_instruction_set([&] {
      const at::Tensor later = solve_factor_transpose(g, b);
      const at::Tensor earlier = solve_factor(g, b);
      for (std::int64_t s = 0; s < b.size(1); ++s) {
        const at::Tensor alone = b.narrow(1, s, 1);
        ASSERT_TRUE(same_bits(later.narrow(1, s, 1), solve_factor_transpose(g, alone))) << s;
        ASSERT_TRUE(same_bits(earlier.narrow(1, s, 1), solve_factor(g, alone))) << s;
      }
    });
  }
}

TEST(SampleGroups, CoverEverySampleOnce) {
  for (const std::int64_t threads : {1, 2, 7}) {
    for (std::int64_t samples = 1; samples <= 100; ++samples) {
      std::int64_t next = 0;
      for (const SampleGroup& group : sample_groups<float>({2, samples, threads})) {
        EXPECT_EQ(group.first, next);
        EXPECT_GE(group.lanes, group.count);
        next += group.count;
      }
      EXPECT_EQ(next, samples);
    }
  }
}

TEST(SampleGroups, AreNarrowerWhereThreadsWouldBeIdle) {
  EXPECT_EQ(sample_groups<float>({1, 64, 2}).size(), 2U);
  EXPECT_EQ(sample_groups<float>({1, 64, 8}).size(), 8U);
  EXPECT_EQ(sample_groups<float>({8, 64, 8}).size(), 2U);
  EXPECT_EQ(sample_groups<float>({1, 3, 8}).size(), 3U);
}

}  // namespace
}  // namespace supn::test
