#include "gaussian/ops/cpu/staircase_solver.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "gaussian/aligned_buffer.hpp"

namespace supn::cpu {
namespace {

using staircase::kPad;
using staircase::kRows;

// What the strips of an image tell each other: how far they are, and their last two rows.
class Strips {
 public:
  explicit Strips(const FactorImage<float>& image)
      : count_((image.height + kRows - 1) / kRows),
        pitch_(image.width + 2 * kPad),
        edges_(2 * (count_ + 1) * pitch_),
        progress_(static_cast<std::size_t>(count_)) {
    std::fill_n(edges_.data(), 2 * pitch_, 0.0F);  // before the first strip
  }

  std::int64_t count() const { return count_; }

  // The next strip to do; count() when there is none. In order, so that a strip whose turn it is
  // waits only for strips that some thread is at.
  std::int64_t claim() { return std::min(count_, next_.fetch_add(1, std::memory_order_relaxed)); }

  void link(staircase::Strip& strip, std::int64_t index) const {
    for (std::int64_t row = 0; row < 2; ++row) {
      strip.finished[row] = edge(index, row);
      strip.last[row] = edge(index + 1, row);
      std::fill_n(strip.last[row] - kPad, kPad, 0.0F);
      std::fill_n(strip.last[row] + pitch_ - 2 * kPad, kPad, 0.0F);
    }
  }

  staircase::Progress progress(std::int64_t index) {
    const auto at = static_cast<std::size_t>(index);
    return {index == 0 ? nullptr : &progress_[at - 1].blocks, &progress_[at].blocks};
  }

 private:
  struct alignas(64) Finished {
    std::atomic<std::int64_t> blocks{0};
  };

  float* edge(std::int64_t strip, std::int64_t row) const {
    return edges_.data() + (2 * strip + row) * pitch_ + kPad;
  }

  std::int64_t count_;
  std::int64_t pitch_;
  AlignedBuffer<float> edges_;  // [strip + 1][2][pitch]: of no strip, then of each
  std::vector<Finished> progress_;
  std::atomic<std::int64_t> next_{0};
};

// The strip's rows in memory: the first and how many there are.
struct MemoryRows {
  std::int64_t first;
  std::int64_t count;
};
template <Side kSide>
MemoryRows rows_of(const staircase::Strip& strip) {
  const std::int64_t count = std::min(kRows, strip.image.height - strip.first_row);
  return {kSide == Side::kLater ? strip.image.height - strip.first_row - count : strip.first_row,
          count};
}

// run(strip, progress, scratch) for every strip, by as many threads as there are. It must not throw:
// others may wait for the strip.
template <typename Run>
void for_each_strip(const FactorImage<float>& image, std::int64_t scratch_size, const Run& run) {
  Strips strips(image);
  const std::int64_t workers = std::min<std::int64_t>(at::get_num_threads(), strips.count());
  at::parallel_for(0, workers, 1, [&](std::int64_t, std::int64_t) {
    const AlignedBuffer<float> scratch(scratch_size);
    for (std::int64_t i = strips.claim(); i < strips.count(); i = strips.claim()) {
      staircase::Strip strip{image, i * kRows, nullptr, nullptr, nullptr, {}, {}};
      strips.link(strip, i);
      run(strip, strips.progress(i), scratch.data());
    }
  });
}

}  // namespace

template <Side kSide>
void solve_staircase(const FactorImage<float>& image, const float* b, float* solution) {
  for_each_strip(
      image, 0, [&](staircase::Strip& strip, const staircase::Progress& progress, float*) {
        strip.rhs = b + rows_of<kSide>(strip).first * image.width;
        strip.solution = solution;
        staircase::substitute<kSide>(strip, progress);
      });
}

template void solve_staircase<Side::kLater>(const FactorImage<float>&, const float*, float*);
template void solve_staircase<Side::kEarlier>(const FactorImage<float>&, const float*, float*);

staircase::Squares sample_staircase(const FactorImage<float>& image,
                                    const NoiseStream& stream,
                                    const float* mean,
                                    float* values) {
  const std::int64_t strips = (image.height + kRows - 1) / kRows;
  std::vector<staircase::Squares> squares(static_cast<std::size_t>(strips));
  for_each_strip(image,
                 kRows * image.width + 3,
                 [&](staircase::Strip& strip, const staircase::Progress& progress, float* noise) {
                   // Normals come in blocks of four pixels.
                   const MemoryRows rows = rows_of<Side::kLater>(strip);
                   const std::int64_t first = rows.first * image.width;
                   const std::int64_t lead = first % 4;
                   const std::int64_t count = lead + rows.count * image.width;
                   NoiseStream from = stream;
                   from.first_block += static_cast<std::uint64_t>(first / 4);
                   normal_kernels<float>().fill(noise, from, count);
                   strip.rhs = noise + lead;
                   strip.solution = values;
                   strip.mean = mean;
                   squares[static_cast<std::size_t>(strip.first_row / kRows)] =
                       substitute_with_residual(strip, progress);
                 });
  staircase::Squares total{0.0, 0.0};
  for (const staircase::Squares& strip : squares) {
    total.residual += strip.residual;
    total.rhs += strip.rhs;
  }
  return total;
}

}  // namespace supn::cpu
