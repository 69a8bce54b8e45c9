#include "gaussian/kernels/row_wavefront.hpp"

#include <algorithm>
#include <array>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/kernels/instruction_sets.hpp"

namespace supn::row {
namespace {

constexpr std::int64_t kRows = 4;   // at once; more have more pointers than there are registers
constexpr std::int64_t kLag = 2;    // blocks; the rows' windows reach less than one block ahead
constexpr std::int64_t kAhead = 4;  // blocks that are asked for before their turn

// A block of columns of a row, in the order of the substitution: u-th column from the row's start.
struct Block {
  std::int64_t row = 0;      // from the substitution's first row on
  std::int64_t u = 0;        // of the first column
  std::int64_t columns = 0;  // 0: nothing to do
};

template <Side kSide, std::int64_t kRadius, typename T>
class Wavefront {
 public:
  // inverse [kRows,W] is scratch for e^−φ.
  SUPN_INLINE Wavefront(const FactorImage<T>& image, const T* b, T* solution, T* inverse)
      : image_(image),
        b_(b),
        solution_(solution),
        inverse_(inverse),
        blocks_((image.width + kColumns - 1) / kColumns),
        period_(std::max(blocks_, kRows * kLag)) {}

  SUPN_INLINE void run() const {
    const std::int64_t last = image_.height - 1;
    const std::int64_t steps = last / kRows * period_ + last % kRows * kLag + blocks_;
    std::array<Slot, kRows> slots;
    for (std::int64_t i = 0; i < kRows; ++i) slots[static_cast<std::size_t>(i)] = {i, -i * kLag};
    for (std::int64_t step = 0; step < steps; ++step) {
      std::array<Block, kRows> blocks;
      bool whole = true;
      for (std::size_t i = 0; i < kRows; ++i) {
        blocks[i] = next_block(slots[i]);
        if (blocks[i].columns > 0) prepare(blocks[i]);
        whole = whole && blocks[i].columns == kColumns;
      }
      if (whole) {
        run_chains(blocks);
      } else {
        for (const Block& block : blocks) run_chain(block, block.columns);
      }
    }
  }

 private:
  static constexpr std::int64_t kColumns = 64 / static_cast<std::int64_t>(sizeof(T));  // of a block
  static constexpr std::int64_t kForward = kSide == Side::kLater ? -1 : 1;

  // Who does rows i, i + kRows, … one after the other: its row and the block in it, which is
  // negative before its first.
  struct Slot {
    std::int64_t row;
    std::int64_t block;
  };

  SUPN_INLINE Block next_block(Slot& slot) const {
    const Slot now = slot;
    slot = now.block + 1 < period_ ? Slot{now.row, now.block + 1} : Slot{now.row + kRows, 0};
    if (now.block < 0 || now.row >= image_.height) return {};
    const std::int64_t u = now.block * kColumns;
    return {now.row, u, std::clamp<std::int64_t>(image_.width - u, 0, kColumns)};
  }

  SUPN_INLINE std::int64_t y_of(const Block& block) const {
    return kSide == Side::kLater ? image_.height - 1 - block.row : block.row;
  }
  SUPN_INLINE std::int64_t x_of(const Block& block) const {
    return kSide == Side::kLater ? image_.width - 1 - block.u : block.u;
  }

  SUPN_INLINE void prepare(const Block& block) const {
    if (block.u == 0) {
      exponential<T>(inverse_of(block), image_.diagonal_row(y_of(block)), T{-1}, image_.width);
    }
    subtract_finished_rows(block);
  }

  // e^−φ of the block's row; rows under way at the same time have rows of their own.
  SUPN_INLINE T* inverse_of(const Block& block) const {
    return inverse_ + block.row % kRows * image_.width;
  }

  SUPN_INLINE void subtract_finished_rows(const Block& block) const {
    const std::int64_t y = y_of(block);
    const std::int64_t begin =
        kSide == Side::kLater ? x_of(block) + 1 - block.columns : x_of(block);
    const std::int64_t end = begin + block.columns;
    const std::int64_t rows = std::min(block.row, kRadius);
    T* acc = solution_ + y * image_.width;
    if (rows == kRadius && block.columns == kColumns && begin >= kRadius &&
        end <= image_.width - kRadius) {
      return subtract_windows(y, begin);
    }
    if (b_ != solution_)
      std::copy(b_ + y * image_.width + begin, b_ + y * image_.width + end, acc + begin);
    for (std::int64_t dy = rows; dy >= 1; --dy) {
      for (std::int64_t dx = -kRadius; dx <= kRadius; ++dx) {
        accumulate_offset<kSide>(image_, {dy, dx}, y, {begin, end}, {kSubtract<T>, solution_, acc});
      }
    }
  }

  // There are more rows of maps under way than the processor's own prefetcher follows.
  SUPN_INLINE void prefetch_maps(std::int64_t y, std::int64_t begin) const {
    constexpr std::int64_t kMaps = 2 * kRadius * (kRadius + 1);
    const std::int64_t ahead = y * image_.width + begin + kAhead * kColumns * kForward;
    const T* map = image_.off_diagonal + ahead;
#pragma GCC unroll 12
    for (std::int64_t k = 0; k < kMaps; ++k, map += image_.pixels()) __builtin_prefetch(map);
    __builtin_prefetch(b_ + ahead);
  }

  // value minus the products of column c of a window.
  static SUPN_INLINE T minus_window(T value, const Window<T>& window, std::int64_t c) {
#pragma GCC unroll 8
    for (std::int64_t j = 0; j <= 2 * kRadius; ++j) {
      const T coefficient = window.coefficients[j * window.coefficient_step + c];
      value = fused_multiply_add(-coefficient, window.field[c - j * kForward], value);
    }
    return value;
  }

  SUPN_INLINE Window<T> finished_window(std::int64_t dy, std::int64_t y, std::int64_t begin) const {
    const T* field = solution_;
    return window_at<kSide>(image_, {dy, -kRadius}, y, begin, field);
  }

  // One window at a time: the maps of an image are often whole pages apart, and more of them would
  // drive each other out of the cache.
  static SUPN_INLINE void subtract_window(T* acc, const T* b, const Window<T>& window) {
#pragma GCC ivdep
    for (std::int64_t c = 0; c < kColumns; ++c) acc[c] = minus_window(b[c], window, c);
  }

  SUPN_INLINE void subtract_windows(std::int64_t y, std::int64_t begin) const {
    const T* b = b_ + y * image_.width + begin;
    T* acc = solution_ + y * image_.width + begin;
    prefetch_maps(y, begin);
    if constexpr (kRadius == 2) subtract_window(acc, b, finished_window(2, y, begin));
    subtract_window(acc, kRadius == 2 ? acc : b, finished_window(1, y, begin));
  }

  // A row's chain: where its block starts, and the last solutions, nearest first.
  struct Chain {
    T* acc;
    const T* own;
    const T* inverse;
    T nearest;
    T second;
  };

  SUPN_INLINE Chain chain_at(const Block& block) const {
    const std::int64_t offset = y_of(block) * image_.width + x_of(block);
    const T* acc = solution_ + offset;
    return {solution_ + offset,
            image_.off_diagonal + offset,
            inverse_of(block) + x_of(block),
            block.u >= 1 ? acc[-kForward] : T{0},
            block.u >= 2 && kRadius == 2 ? acc[-2 * kForward] : T{0}};
  }

  // Column c of the chain's block, where `reach` columns of the row are before it.
  SUPN_INLINE void advance(Chain& chain, std::int64_t c, std::int64_t reach) const {
    constexpr bool kReadsAtCentre = kSide == Side::kLater;
    const std::int64_t at = c * kForward;
    T value = chain.acc[at];
    if constexpr (kRadius == 2) {
      const T* farther = chain.own + image_.pixels() + at - (kReadsAtCentre ? 0 : 2);
      if (reach >= 2) value = fused_multiply_add(-*farther, chain.second, value);
      chain.second = chain.nearest;
    }
    const T* near = chain.own + at - (kReadsAtCentre ? 0 : 1);
    if (reach >= 1) value = fused_multiply_add(-*near, chain.nearest, value);
    chain.nearest = value * chain.inverse[at];
    chain.acc[at] = chain.nearest;
  }

  SUPN_INLINE void run_chain(const Block& block, std::int64_t columns) const {
    if (columns == 0) return;
    Chain chain = chain_at(block);
    for (std::int64_t c = 0; c < columns; ++c) advance(chain, c, block.u + c);
  }

  SUPN_INLINE Chain started(const Block& block) const {
    Chain chain = chain_at(block);
    for (std::int64_t c = 0; c < kRadius; ++c) advance(chain, c, block.u + c);
    return chain;
  }

  // Named one by one, the chains stay in registers.
  SUPN_INLINE void run_chains(const std::array<Block, kRows>& blocks) const {
    static_assert(kRows == 4);
    Chain first = started(blocks[0]);
    Chain second = started(blocks[1]);
    Chain third = started(blocks[2]);
    Chain fourth = started(blocks[3]);
    for (std::int64_t c = kRadius; c < kColumns; ++c) {
      advance(first, c, kRadius);
      advance(second, c, kRadius);
      advance(third, c, kRadius);
      advance(fourth, c, kRadius);
    }
  }

  FactorImage<T> image_;
  const T* b_;
  T* solution_;
  T* inverse_;
  std::int64_t blocks_;  // of a row
  std::int64_t period_;  // blocks from a slot's row to its next
};

template <Side kSide, typename T>
SUPN_KERNEL void run_rows(const FactorImage<T>& image, const T* b, T* solution, T* inverse) {
  if (image.radius == 1) return Wavefront<kSide, 1, T>(image, b, solution, inverse).run();
  Wavefront<kSide, 2, T>(image, b, solution, inverse).run();
}

#define SUPN_INSTANTIATE(T)                                                         \
  template void run_rows<Side::kLater, T>(const FactorImage<T>&, const T*, T*, T*); \
  template void run_rows<Side::kEarlier, T>(const FactorImage<T>&, const T*, T*, T*);
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace

template <Side kSide, typename T>
void substitute_wavefront(const FactorImage<T>& image, const T* b, T* solution) {
  const AlignedBuffer<T> inverse(kRows * image.width);
  run_rows<kSide, T>(image, b, solution, inverse.data());
}

#define SUPN_INSTANTIATE(T)                                                                 \
  template void substitute_wavefront<Side::kLater, T>(const FactorImage<T>&, const T*, T*); \
  template void substitute_wavefront<Side::kEarlier, T>(const FactorImage<T>&, const T*, T*);
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace supn::row
