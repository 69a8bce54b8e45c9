#include "gaussian/ops/normals.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <array>
#include <numbers>

#include "supn/gaussian/philox.hpp"

namespace supn::composite {
namespace {

constexpr std::int64_t kLow32 = 0xFFFFFFFF;
constexpr std::int64_t kBlocksAtOnce = 1 << 20;
using Words = std::array<at::Tensor, 4>;  // int64 that hold 32 bits, each [S,blocks]

at::Tensor low_word(const at::Tensor& x) { return x.bitwise_and(kLow32); }
// The product of two words fills the sign bit as well, which the shift spreads.
at::Tensor high_word(const at::Tensor& x) { return low_word(x.bitwise_right_shift(32)); }

Words random_words(Words counter, Philox4x32::Key key) {
  for (int round = 0; round < Philox4x32::kRounds; ++round) {
    const at::Tensor product0 = counter[0].mul(std::int64_t{Philox4x32::kMultiplier0});
    const at::Tensor product1 = counter[2].mul(std::int64_t{Philox4x32::kMultiplier1});
    counter = {high_word(product1).bitwise_xor(counter[1]).bitwise_xor(std::int64_t{key[0]}),
               low_word(product1),
               high_word(product0).bitwise_xor(counter[3]).bitwise_xor(std::int64_t{key[1]}),
               low_word(product0)};
    key = {key[0] + Philox4x32::kWeyl0, key[1] + Philox4x32::kWeyl1};
  }
  return counter;
}

// Returns √(−2 ln((w + ½)/2³²)); near 1 the logarithm is taken of the distance to 1.
at::Tensor radius_of(const at::Tensor& word) {
  const at::Tensor near_one = word.gt(std::int64_t{1} << 31);
  const at::Tensor distance =
      at::where(near_one, word.neg().add(kLow32), word).to(at::kDouble).add(0.5).mul(0x1p-32);
  const at::Tensor logarithm = at::where(near_one, distance.neg().log1p(), distance.log());
  return logarithm.mul(-2.0).sqrt();
}

// One seed's samples first, … at the blocks of four pixels: [S,4·blocks].
at::Tensor normals(std::uint64_t seed, const at::Tensor& samples, const at::Tensor& blocks) {
  const at::Tensor zero = at::zeros_like(samples).unsqueeze(1).mul(blocks);
  const at::Tensor low = zero.add(blocks);
  const at::Tensor high = zero.add(samples.unsqueeze(1));
  const Words words = random_words({low_word(low), high_word(low), low_word(high), high_word(high)},
                                   Philox4x32::key_of(seed));
  std::vector<at::Tensor> pixels;
  for (std::size_t pair = 0; pair < 4; pair += 2) {
    const at::Tensor radius = radius_of(words[pair]);
    const at::Tensor angle = words[pair + 1].to(at::kDouble).mul(2.0 * std::numbers::pi * 0x1p-32);
    pixels.push_back(angle.cos().mul_(radius));
    pixels.push_back(angle.sin().mul_(radius));
  }
  return at::stack(pixels, 2).flatten(1);
}

}  // namespace

at::Tensor standard_normal(std::span<const std::uint64_t> seeds,
                           const SampleRange& range,
                           const ImageSize& size,
                           const at::TensorOptions& options) {
  const std::int64_t pixels = size.height * size.width;
  const auto integers = options.dtype(at::kLong);
  const at::Tensor blocks = at::arange((pixels + 3) / 4, integers);
  const std::int64_t step = std::max<std::int64_t>(1, kBlocksAtOnce / blocks.size(0));
  const at::Tensor noise =
      at::empty({static_cast<std::int64_t>(seeds.size()), range.count, pixels}, options);
  for (std::size_t b = 0; b < seeds.size(); ++b) {
    for (std::int64_t first = 0; first < range.count; first += step) {
      const std::int64_t count = std::min(step, range.count - first);
      const at::Tensor samples =
          at::arange(range.first + first, range.first + first + count, integers);
      noise.select(0, static_cast<std::int64_t>(b))
          .narrow(0, first, count)
          .copy_(normals(seeds[b], samples, blocks).narrow(1, 0, pixels));
    }
  }
  return noise.view({noise.size(0), range.count, size.height, size.width});
}

}  // namespace supn::composite
