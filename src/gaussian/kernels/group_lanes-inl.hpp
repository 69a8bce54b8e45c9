// Images of a group of samples, [place][lane]: read or drawn, and written back. Included once per
// instruction set.
#include <array>

#include "gaussian/kernels/normals-inl.hpp"
#include "gaussian/kernels/sample_lines-inl.hpp"
#include "gaussian/kernels/samples_by_class.hpp"

#if defined(SUPN_GROUP_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUPN_GROUP_LANES_INL
#undef SUPN_GROUP_LANES_INL
#else
#define SUPN_GROUP_LANES_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace supn::by_class::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using supn::HWY_NAMESPACE::add_squares;
using supn::HWY_NAMESPACE::deinterleave;
using supn::HWY_NAMESPACE::fill_lanes;
using supn::HWY_NAMESPACE::interleave;
using supn::HWY_NAMESPACE::kColumns;
using supn::HWY_NAMESPACE::kLanesOf;
using supn::HWY_NAMESPACE::LaneBlocks;
using supn::HWY_NAMESPACE::NormalGenerator;

template <typename T>
std::int64_t pixels_of(const Group<T>& group) {
  return group.size.height * group.size.width;
}
template <class D>
std::int64_t strips_of(const Group<hn::TFromD<D>>& group) {
  return (group.samples + kLanesOf<D> - 1) / kLanesOf<D>;
}
template <class D, typename T = hn::TFromD<D>>
T* strip_of(const Group<T>& group, std::int64_t strip) {
  return group.field + strip * group.places.count() * kLanesOf<D>;
}
// Lanes without a sample repeat the last one's work.
template <class D, typename T = hn::TFromD<D>>
std::int64_t sample_of(const Group<T>& group, std::int64_t strip, std::int64_t lane) {
  return std::min(strip * kLanesOf<D> + lane, group.samples - 1);
}

// `count` pixels of row y from column x on.
struct Piece {
  std::int64_t y;
  std::int64_t x;
  std::int64_t count;
};
template <typename Run>
void for_each_piece(std::int64_t row, std::int64_t width, const Run& run) {
  for (std::int64_t x = 0; x < width; x += kColumns) {
    run(Piece{row, x, std::min(kColumns, width - x)});
  }
}

// move(pixels of the piece, where they lie in the field), phase by phase, for `count` of them one
// `period` apart.
template <class D, typename T, class Move>
HWY_INLINE void for_each_part(
    const Places& places, const Piece& piece, T* pixels, T* field, const Move& move) {
  const std::int64_t period = places.period();
  const std::int64_t step = period * kLanesOf<D>;
  for (std::int64_t phase = 0; phase < std::min(period, piece.count); ++phase) {
    T* pixel = pixels + phase * kLanesOf<D>;
    T* place = field + places.of(piece.y, piece.x + phase) * kLanesOf<D>;
    for (std::int64_t x = phase; x < piece.count; x += period) {
      move(pixel, place);
      pixel += step;
      place += kLanesOf<D>;
    }
  }
}

// The pixels of a piece, [pixel][lane].
template <class D>
struct Pixels {
  HWY_ALIGN hn::TFromD<D> values[kColumns * kLanesOf<D>];
};

// Draws the noise of a piece where it lies in the field. A piece starts inside a block of four
// pixels if the width is not a multiple of four; what of its first and last block is outside falls
// between the parts.
template <class D, typename T = hn::TFromD<D>>
void draw(const Group<T>& group, const NoiseStream& noise, const Piece& piece, T* field) {
  const std::int64_t first = piece.y * group.size.width + piece.x;
  const std::int64_t lead = first % 4;
  LaneBlocks<T> blocks{{}, 4 / group.places.period() * kLanesOf<D>};
  for (std::int64_t j = 0; j < 4; ++j) {
    blocks.pixels[j] = field + group.places.of(piece.y, piece.x + j - lead) * kLanesOf<D>;
  }
  fill_lanes(D(),
             blocks,
             NormalGenerator(noise.seed),
             {noise.first_block + static_cast<std::uint64_t>(first / 4), noise.sample},
             (lead + piece.count + 3) / 4);
}

template <class D, typename T = hn::TFromD<D>>
void copy(
    const Group<T>& group, const T* fields, std::int64_t strip, const Piece& piece, T* field) {
  std::array<const T*, kLanesOf<D>> from;
  for (std::int64_t lane = 0; lane < kLanesOf<D>; ++lane) {
    from[static_cast<std::size_t>(lane)] = fields +
                                           sample_of<D>(group, strip, lane) * pixels_of(group) +
                                           piece.y * group.size.width + piece.x;
  }
  Pixels<D> pixels;
  interleave(D(), pixels.values, from.data(), piece.count);
  for_each_part<D>(
      group.places, piece, pixels.values, field, [](const T* pixel, T* place) SUPN_LAMBDA {
        hn::StoreU(hn::LoadU(D(), pixel), D(), place);
      });
}

// The squares of a piece, part by part.
template <class D, typename T = hn::TFromD<D>>
void add_squares_of(const Places& places, const Piece& piece, const T* field, double* squares) {
  const std::int64_t period = places.period();
  for (std::int64_t phase = 0; phase < std::min(period, piece.count); ++phase) {
    add_squares(D(),
                squares,
                field + places.of(piece.y, piece.x + phase) * kLanesOf<D>,
                (piece.count - phase + period - 1) / period);
  }
}

template <class D, typename T = hn::TFromD<D>>
void read_strip(const Group<T>& group,
                const RightHandSide<T>& b,
                std::int64_t row,
                std::int64_t strip,
                double* squares) {
  NoiseStream noise = b.noise;
  noise.sample += static_cast<std::uint64_t>(strip * kLanesOf<D>);
  T* const field = strip_of<D>(group, strip);
  for_each_piece(row, group.size.width, [&](const Piece& piece) {
    if (b.field == nullptr) {
      draw<D>(group, noise, piece, field);
    } else {
      copy<D>(group, b.field, strip, piece, field);
    }
    if (squares != nullptr) add_squares_of<D>(group.places, piece, field, squares);
  });
}

template <class D, typename T = hn::TFromD<D>>
void read_lanes(const Group<T>& group,
                const RightHandSide<T>& b,
                std::int64_t row,
                double* rhs_squares) {
  for (std::int64_t strip = 0; strip < strips_of<D>(group); ++strip) {
    const std::int64_t first = strip * kLanesOf<D>;
    const std::int64_t count = std::min(kLanesOf<D>, group.samples - first);
    std::array<double, kLanesOf<D>> squares{};
    if (rhs_squares != nullptr) std::copy_n(rhs_squares + first, count, squares.data());
    read_strip<D>(group, b, row, strip, rhs_squares == nullptr ? nullptr : squares.data());
    if (rhs_squares != nullptr) std::copy_n(squares.data(), count, rhs_squares + first);
  }
}

template <class D, typename T = hn::TFromD<D>>
void write_piece(const Group<T>& group,
                 const Sink<T>& sink,
                 std::int64_t strip,
                 const Piece& piece) {
  HWY_ALIGN T spare[kColumns];  // where lanes without a sample go
  std::array<T*, kLanesOf<D>> to;
  to.fill(spare);
  const std::int64_t width = group.size.width;
  const std::int64_t first = piece.y * width + piece.x;
  const std::int64_t first_sample = strip * kLanesOf<D>;
  for (std::int64_t lane = 0; lane < std::min(kLanesOf<D>, group.samples - first_sample); ++lane) {
    to[static_cast<std::size_t>(lane)] =
        sink.values + (first_sample + lane) * pixels_of(group) + first;
  }
  Pixels<D> pixels;
  for_each_part<D>(group.places,
                   piece,
                   pixels.values,
                   strip_of<D>(group, strip),
                   [](T* pixel, const T* place)
                       SUPN_LAMBDA { hn::StoreU(hn::LoadU(D(), place), D(), pixel); });
  deinterleave(D(),
               to.data(),
               pixels.values,
               sink.mean == nullptr ? nullptr : sink.mean + first,
               piece.count,
               sink.store);
}

template <class D, typename T = hn::TFromD<D>>
void write_lanes(const Group<T>& group, const Sink<T>& sink, std::int64_t row) {
  for (std::int64_t strip = 0; strip < strips_of<D>(group); ++strip) {
    for_each_piece(row, group.size.width, [&](const Piece& piece) {
      write_piece<D>(group, sink, strip, piece);
    });
  }
  if (row + 1 == group.size.height) hwy::FlushStream();
}

}  // namespace supn::by_class::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
