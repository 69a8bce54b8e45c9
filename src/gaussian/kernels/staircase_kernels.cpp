#include "gaussian/kernels/staircase_kernels.hpp"

#include <thread>

#include "gaussian/kernels/staircase_blocks.hpp"

namespace supn::staircase {
#ifdef SUPN_AVX2
namespace {

enum class Residual { kNone, kSummed };

// v of the rows one step on: lane i of the result is lane i − 1 of v, lane 0 is *before.
SUPN_AVX2_INLINE __m256 next_rows(const __m256& v, const float* before) {
  const __m256 low = _mm256_permute2f128_ps(_mm256_broadcast_ss(before), v, 0x20);
  return _mm256_castsi256_ps(
      _mm256_alignr_epi8(_mm256_castps_si256(v), _mm256_castps_si256(low), 12));
}

// Solutions of the last steps, newest first: of the rows themselves, of the row before each, and of
// the row before that.
template <std::int64_t kRadius>
struct History {
  __m256 own[kRadius];
  __m256 nearest[2 * kRadius + 1];
  __m256 second[3 * kRadius + 2];  // of radius 2 only
};

// Sums of squares over the steps, by row.
struct RowSums {
  SUPN_AVX2_INLINE void add(const __m256& v) {
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(v));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));
    sums[0] = _mm256_fmadd_pd(low, low, sums[0]);
    sums[1] = _mm256_fmadd_pd(high, high, sums[1]);
  }
  SUPN_AVX2_INLINE double total() const {
    alignas(32) double rows[4];
    _mm256_store_pd(rows, _mm256_add_pd(sums[0], sums[1]));
    return (rows[0] + rows[2]) + (rows[1] + rows[3]);
  }
  __m256d sums[2] = {};
};

template <Side kSide, std::int64_t kRadius, Residual kResidual>
class Substitution {
 public:
  SUPN_AVX2_INLINE explicit Substitution(const Strip& strip)
      : strip_(strip),
        reader_(strip),
        solution_(strip.solution + reader_.top() * strip.image.width),
        mean_(strip.mean == nullptr ? nullptr : strip.mean + reader_.top() * strip.image.width) {}

  SUPN_AVX2_INLINE Squares run(const Progress& progress) {
    const std::int64_t blocks = block_count(strip_.image.width, kRadius);
    wait_for(progress, 0);
    History<kRadius> history;
    start(history);
    read_edge(0);
    for (std::int64_t block = 0; block < blocks; ++block) {
      wait_for(progress, block);
      if (reader_.is_whole(block) && reader_.is_whole(block + 1)) {
        if (strip_.first_row > 0) {
          substitute_whole<Place::kInside>(history, block);
        } else {
          substitute_whole<Place::kFirstRows>(history, block);
        }
      } else {
        substitute_edge(history, block);
        read_edge(block + 1);
      }
      progress.own->store(block + 1, std::memory_order_release);
    }
    return {residual_.total(), rhs_.total()};
  }

 private:
  using Slots = Maps<kRadius>;
  static constexpr std::int64_t kLag = kRadius + 1;
  static constexpr bool kBackwards = kSide == Side::kLater;
  static constexpr std::int64_t kRead = Slots::kRead;

  // The u-th column of an edge row, in the order of the substitution.
  SUPN_AVX2_INLINE const float* edge(std::int64_t row, std::int64_t u) const {
    return strip_.finished[row] + (kBackwards ? strip_.image.width - 1 - u : u);
  }

  // What the steps before the first would have left: columns of the strip before that are within
  // the first windows.
  SUPN_AVX2_INLINE void start(History<kRadius>& history) const {
    for (__m256& own : history.own) own = _mm256_setzero_ps();
    for (__m256& second : history.second) second = _mm256_setzero_ps();
    constexpr std::int64_t kSteps = 3 * kRadius + 2;
    __m256 rows = _mm256_setzero_ps();
    for (std::int64_t step = -kSteps; step < 0; ++step) {
      push(history, rows, step);
    }
  }

  // Takes a step's solutions over to the rows after them.
  SUPN_AVX2_INLINE void push(History<kRadius>& history, const __m256& v, std::int64_t step) const {
    for (std::int64_t i = kRadius - 1; i > 0; --i) history.own[i] = history.own[i - 1];
    history.own[0] = v;
    for (std::int64_t i = 2 * kRadius; i > 0; --i) history.nearest[i] = history.nearest[i - 1];
    history.nearest[0] = next_rows(v, edge(0, step + kLag));
    if constexpr (kRadius == 2) {
      for (std::int64_t i = 3 * kRadius + 1; i > 0; --i) history.second[i] = history.second[i - 1];
      history.second[0] = next_rows(history.nearest[0], edge(1, step + 2 * kLag));
    }
  }

  SUPN_AVX2_INLINE void take_step(History<kRadius>& history,
                                  std::int64_t block,
                                  std::int64_t in_block,
                                  const __m256& active) {
    const auto& weights = blocks_[block & 1].values[in_block];
    const __m256 rhs = _mm256_load_ps(weights[Slots::kRhs]);
    __m256 value = rhs;
    __m256 others = _mm256_setzero_ps();
    std::int64_t map = 0;
    const auto subtract = [&](const __m256& neighbour)
        __attribute__((always_inline, target("avx2,fma"))) {
      const __m256 weight = _mm256_load_ps(weights[map++]);
      value = _mm256_fnmadd_ps(weight, neighbour, value);
      if constexpr (kResidual == Residual::kSummed) {
        others = _mm256_fnmadd_ps(weight, neighbour, others);
      }
    };
    if constexpr (kRadius == 2) {
      for (std::int64_t i = 0; i < 5; ++i) subtract(history.second[3 + i]);
    }
    for (std::int64_t i = 0; i < 2 * kRadius + 1; ++i) subtract(history.nearest[i]);
    for (std::int64_t i = kRadius - 1; i >= 0; --i) subtract(history.own[i]);
    value = _mm256_mul_ps(value, _mm256_load_ps(weights[Slots::kInverse]));
    value = _mm256_and_ps(value, active);
    _mm256_store_ps(solved_[in_block], value);
    if constexpr (kResidual == Residual::kSummed) {
      const __m256 left = _mm256_fmsub_ps(_mm256_load_ps(weights[Slots::kDirect]), value, others);
      residual_.add(_mm256_and_ps(_mm256_sub_ps(left, rhs), active));
      rhs_.add(rhs);
    }
    push(history, value, block * kColumns + in_block);
  }

  // Between the steps of a block the next one is read: their latencies fill each other's gaps.
  template <Place kPlace>
  SUPN_AVX2_INLINE void substitute_whole(History<kRadius>& history, std::int64_t block) {
    static_assert(kRead <= 2 * kColumns);
    const __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    Block<kRadius>& next = blocks_[(block + 1) & 1];
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kColumns; ++i) {
      take_step(history, block, i, all);
      read_ahead<kPlace>(2 * i, block + 1, next);
      read_ahead<kPlace>(2 * i + 1, block + 1, next);
    }
    exponentiate(next);
    store_whole(block);
  }

  template <Place kPlace>
  SUPN_AVX2_INLINE void read_ahead(std::int64_t map, std::int64_t block, Block<kRadius>& to) const {
    if (map >= kRead) return;
    reader_.template read<kPlace>(map, block, to);
    reader_.prefetch(map, block);
  }

  __attribute__((noinline)) SUPN_AVX2 void substitute_edge(History<kRadius>& history,
                                                           std::int64_t block) {
    History<kRadius> local = history;
    const std::int64_t width = strip_.image.width;
    for (std::int64_t i = 0; i < kColumns; ++i) {
      // Row j is at column step − j·lag.
      const std::int64_t step = block * kColumns + i;
      const std::int64_t last = step / kLag + 1;
      const std::int64_t first = step < width ? 0 : (step - width) / kLag + 1;
      take_step(local, block, i, lanes_between(first, std::min(last, reader_.rows())));
    }
    history = local;
    store_edge(block);
  }

  __attribute__((noinline)) SUPN_AVX2 void read_edge(std::int64_t block) {
    Block<kRadius>& to = blocks_[block & 1];
    for (std::int64_t map = 0; map < kRead; ++map) {
      reader_.template read<Place::kEdge>(map, block, to);
    }
    exponentiate(to);
  }

  SUPN_AVX2_INLINE void exponentiate(Block<kRadius>& block) const {
    for (auto& step : block.values) {
      const __m256 log_diagonal = _mm256_load_ps(step[Slots::kInverse]);
      _mm256_store_ps(step[Slots::kInverse], exponentials(log_diagonal, -1.0F));
      if constexpr (kResidual == Residual::kSummed) {
        _mm256_store_ps(step[Slots::kDirect], exponentials(log_diagonal, 1.0F));
      }
    }
  }

  // The last block's solutions by row, and the edge rows stored.
  SUPN_AVX2_INLINE void transpose_solved(__m256 (&rows)[8], std::int64_t block) const {
    const float* steps[8];
    for (std::int64_t i = 0; i < kColumns; ++i) {
      steps[i] = solved_[kBackwards ? kColumns - 1 - i : i];
    }
    load_transposed(rows, steps);
    _mm256_storeu_ps(strip_.last[0] + reader_.column(block, kRows - 1), rows[kRows - 1]);
    _mm256_storeu_ps(strip_.last[1] + reader_.column(block, kRows - 2), rows[kRows - 2]);
  }

  SUPN_AVX2_INLINE void store_whole(std::int64_t block) const {
    __m256 rows[8];
    transpose_solved(rows, block);
    for (std::int64_t i = 0; i < kRows; ++i) {
      const std::int64_t at = reader_.start(block, i);
      if (mean_ != nullptr) rows[i] = _mm256_add_ps(_mm256_loadu_ps(mean_ + at), rows[i]);
      _mm256_storeu_ps(solution_ + at, rows[i]);
    }
  }

  SUPN_AVX2_INLINE void store_edge(std::int64_t block) const {
    __m256 rows[8];
    transpose_solved(rows, block);
    for (std::int64_t i = 0; i < reader_.rows(); ++i) {
      const std::int64_t x = reader_.column(block, i);
      const __m256i inside = _mm256_castps_si256(lanes_between(-x, strip_.image.width - x));
      const std::int64_t at = reader_.row_start(i) + x;
      if (mean_ != nullptr) {
        rows[i] = _mm256_add_ps(_mm256_maskload_ps(mean_ + at, inside), rows[i]);
      }
      _mm256_maskstore_ps(solution_ + at, inside, rows[i]);
    }
  }

  // A step needs the columns that the strip before finishes 8·lag steps on. Who has to wait, waits
  // for a few blocks more, so that the strips' lines change hands less often.
  SUPN_AVX2_INLINE void wait_for(const Progress& progress, std::int64_t block) {
    constexpr std::int64_t kLead = (kRows * kLag + kColumns - 1) / kColumns + 1;
    constexpr std::int64_t kSpare = 2;
    constexpr std::int64_t kSpins = 1 << 12;  // then let others run: there may be few processors
    const std::int64_t blocks = block_count(strip_.image.width, kRadius);
    if (progress.before == nullptr || seen_ >= std::min(blocks, block + kLead)) return;
    const std::int64_t enough = std::min(blocks, block + kLead + kSpare);
    for (std::int64_t spins = 0;; ++spins) {
      seen_ = progress.before->load(std::memory_order_acquire);
      if (seen_ >= enough) return;
      if (spins < kSpins) {
        _mm_pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

  Strip strip_;
  BlockReader<kSide, kRadius> reader_;
  float* solution_;
  const float* mean_;
  std::int64_t seen_ = 0;
  RowSums residual_;
  RowSums rhs_;
  Block<kRadius> blocks_[2];
  alignas(32) float solved_[kColumns][kRows];
};

template <Side kSide, std::int64_t kRadius, Residual kResidual>
SUPN_AVX2 Squares run(const Strip& strip, const Progress& progress) {
  Substitution<kSide, kRadius, kResidual> substitution(strip);
  return substitution.run(progress);
}

}  // namespace

template <Side kSide>
void substitute(const Strip& strip, const Progress& progress) {
  if (strip.image.radius == 1) {
    run<kSide, 1, Residual::kNone>(strip, progress);
  } else {
    run<kSide, 2, Residual::kNone>(strip, progress);
  }
}

Squares substitute_with_residual(const Strip& strip, const Progress& progress) {
  if (strip.image.radius == 1) return run<Side::kLater, 1, Residual::kSummed>(strip, progress);
  return run<Side::kLater, 2, Residual::kSummed>(strip, progress);
}

#else

template <Side kSide>
void substitute(const Strip&, const Progress&) {}
Squares substitute_with_residual(const Strip&, const Progress&) { return {}; }

#endif

template void substitute<Side::kLater>(const Strip&, const Progress&);
template void substitute<Side::kEarlier>(const Strip&, const Progress&);

}  // namespace supn::staircase
