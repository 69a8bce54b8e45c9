// Standard normals are drawn in registers: one Philox block of four consecutive pixels a lane,
// Box-Muller of its words. Included once per instruction set.
#include "gaussian/kernels/elementary-inl.hpp"
#include "supn/gaussian/philox.hpp"

#if defined(SUPN_NORMALS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUPN_NORMALS_INL
#undef SUPN_NORMALS_INL
#else
#define SUPN_NORMALS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

// Says which counter lane i has: the block and the sample of lane 0, one of them plus i.
struct CounterStart {
  std::uint64_t pixel_block;
  std::uint64_t sample;
};
enum class Lanes { kPixelBlocks, kSamples };

// Draws that are under way at once: one alone is a chain of latencies, and more need registers.
#if HWY_TARGET <= HWY_AVX3
inline constexpr std::size_t kDrawsAtOnce = 2;
#else
inline constexpr std::size_t kDrawsAtOnce = 1;
#endif

class NormalGenerator {
 public:
  explicit HWY_INLINE NormalGenerator(std::uint64_t seed) {
    Philox4x32::Key key = Philox4x32::key_of(seed);
    for (int round = 0; round < Philox4x32::kRounds; ++round) {
      first_keys_[round] = key[0];
      second_keys_[round] = key[1];
      key = {key[0] + Philox4x32::kWeyl0, key[1] + Philox4x32::kWeyl1};
    }
  }

  // normals[n][j], lane i: pixel j of the block that lane i's counter of draw n stands for.
  template <Lanes kLanes, class D, std::size_t kDraws, class V = hn::VFromD<D>>
  HWY_INLINE void draw(D d, V (&normals)[kDraws][4], const CounterStart (&starts)[kDraws]) const {
    WordVector<D> words[kDraws][4];
    draw_words<kLanes, D>(words, starts);
#pragma GCC unroll 2
    for (std::size_t n = 0; n < kDraws; ++n) {
#pragma GCC unroll 2
      for (int j = 0; j < 4; j += 2) {
        const V radius = hn::Sqrt(minus_two_log_uniform(d, words[n][j]));
        const CosineSine<V> angle = cosine_sine_of_turn(d, words[n][j + 1]);
        normals[n][j] = hn::Mul(radius, angle.cosine);
        normals[n][j + 1] = hn::Mul(radius, angle.sine);
      }
    }
  }

 private:
#if HWY_TARGET == HWY_SCALAR
  template <Lanes, class D, std::size_t kDraws>
  HWY_INLINE void draw_words(WordVector<D> (&words)[kDraws][4],
                             const CounterStart (&starts)[kDraws]) const {
    for (std::size_t n = 0; n < kDraws; ++n) {
      const Philox4x32::Words drawn =
          Philox4x32::random_words(Philox4x32::counter_of(starts[n].pixel_block, starts[n].sample),
                                   {first_keys_[0], second_keys_[0]});
      for (std::size_t j = 0; j < 4; ++j) words[n][j] = hn::Set(WordTag<D>(), drawn[j]);
    }
  }
#else
  // The four words of some counters, each in 64 bits, since a product has as many: the low 32
  // count, the high ones hold whatever the arithmetic leaves there.
  template <class V64>
  struct Counters {
    V64 word[4];
  };

  // The counters of lanes first, first + step, first + 2·step, …; step is 1 or 2.
  template <Lanes kLanes, class D64, class V64 = hn::VFromD<D64>>
  static HWY_INLINE Counters<V64> counters(D64 d64,
                                           const CounterStart& start,
                                           std::size_t first,
                                           std::size_t step) {
    const V64 iota = hn::Iota(d64, 0);
    const V64 lane = hn::Add(step == 2 ? hn::Add(iota, iota) : iota, hn::Set(d64, first));
    V64 low = hn::Set(d64, start.pixel_block);
    V64 high = hn::Set(d64, start.sample);
    (kLanes == Lanes::kPixelBlocks ? low : high) =
        hn::Add(kLanes == Lanes::kPixelBlocks ? low : high, lane);
    return {{low, hn::ShiftRight<32>(low), high, hn::ShiftRight<32>(high)}};
  }

  template <class D64, class V64 = hn::VFromD<D64>>
  HWY_INLINE void apply_round(D64 d64, Counters<V64>& c, int round) const {
    const hn::RepartitionToNarrow<D64> d32;
    const V64 product0 =
        hn::MulEven(hn::BitCast(d32, c.word[0]), hn::Set(d32, Philox4x32::kMultiplier0));
    const V64 product1 =
        hn::MulEven(hn::BitCast(d32, c.word[2]), hn::Set(d32, Philox4x32::kMultiplier1));
    c.word[0] = hn::Xor3(
        hn::ShiftRight<32>(product1), c.word[1], hn::Set(d64, std::uint64_t{first_keys_[round]}));
    c.word[1] = product1;
    c.word[2] = hn::Xor3(
        hn::ShiftRight<32>(product0), c.word[3], hn::Set(d64, std::uint64_t{second_keys_[round]}));
    c.word[3] = product0;
  }

  // Elements of 32 bits have their counters in two vectors: those of the even lanes and of the odd.
  template <Lanes kLanes, class D, std::size_t kDraws>
  HWY_INLINE void draw_words(WordVector<D> (&words)[kDraws][4],
                             const CounterStart (&starts)[kDraws]) const {
    constexpr std::size_t kParts = 8 / sizeof(hn::TFromD<D>);
    const WordTag<D> du;
    const hn::Repartition<std::uint64_t, WordTag<D>> d64;
    Counters<hn::VFromD<decltype(d64)>> parts[kDraws][kParts];
    for (std::size_t n = 0; n < kDraws; ++n) {
      for (std::size_t i = 0; i < kParts; ++i) {
        parts[n][i] = counters<kLanes>(d64, starts[n], i, kParts);
      }
    }
#pragma GCC unroll 10
    for (int round = 0; round < Philox4x32::kRounds; ++round) {
      for (auto& draw : parts) {
        for (auto& part : draw) apply_round(d64, part, round);
      }
    }
    for (std::size_t n = 0; n < kDraws; ++n) {
      for (int j = 0; j < 4; ++j) {
        if constexpr (kParts == 2) {
          words[n][j] = hn::OddEven(hn::BitCast(du, hn::ShiftLeft<32>(parts[n][1].word[j])),
                                    hn::BitCast(du, parts[n][0].word[j]));
        } else {
          words[n][j] = hn::And(parts[n][0].word[j], hn::Set(du, 0xFFFFFFFFU));
        }
      }
    }
  }
#endif

  std::uint32_t first_keys_[Philox4x32::kRounds];
  std::uint32_t second_keys_[Philox4x32::kRounds];
};

// Where normals go, one sample in each lane: pixel j of a block to pixels[j], a block farther `step`
// numbers farther.
template <typename T>
struct LaneBlocks {
  T* pixels[4];
  std::int64_t step;
};

// Draws blocks first.pixel_block, … of kDraws blocks, and moves `out` on.
template <std::size_t kDraws, class D, typename T = hn::TFromD<D>>
HWY_INLINE void draw_lanes(D d,
                           LaneBlocks<T>& out,
                           const NormalGenerator& generator,
                           CounterStart first) {
  CounterStart starts[kDraws];
  for (std::size_t n = 0; n < kDraws; ++n) starts[n] = {first.pixel_block + n, first.sample};
  hn::VFromD<D> normals[kDraws][4];
  generator.draw<Lanes::kSamples>(d, normals, starts);
  for (auto& draw : normals) {
    for (std::size_t j = 0; j < 4; ++j) {
      hn::Store(draw[j], d, out.pixels[j]);
      out.pixels[j] += out.step;
    }
  }
}

// Fills `out` with ε of blocks first.pixel_block, … of samples first.sample + lane.
template <class D, typename T = hn::TFromD<D>>
void fill_lanes(D d,
                LaneBlocks<T> out,
                const NormalGenerator& generator,
                CounterStart first,
                std::int64_t blocks) {
  constexpr std::int64_t kDraws = kDrawsAtOnce;
  std::int64_t block = 0;
  for (; block + kDraws <= blocks; block += kDraws) {
    draw_lanes<kDraws>(d, out, generator, first);
    first.pixel_block += kDraws;
  }
  for (; block < blocks; ++block, ++first.pixel_block) draw_lanes<1>(d, out, generator, first);
}

// out[i][lane] = ε of pixel 4·first.pixel_block + i of sample first.sample + lane, i < 4·blocks.
template <class D, typename T = hn::TFromD<D>>
void fill_lanes(
    D d, T* out, const NormalGenerator& generator, CounterStart first, std::int64_t blocks) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  const LaneBlocks<T> in_order{{out, out + kLanes, out + 2 * kLanes, out + 3 * kLanes}, 4 * kLanes};
  fill_lanes(d, in_order, generator, first, blocks);
}

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
