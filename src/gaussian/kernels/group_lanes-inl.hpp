// Images of a group of samples, [pixel][lane]: read or drawn, and written back. Included once per
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
using supn::HWY_NAMESPACE::NormalGenerator;

template <typename T>
std::int64_t pixels_of(const Group<T>& group) {
  return group.size.height * group.size.width;
}
template <class D>
std::int64_t strips_of(const Group<hn::TFromD<D>>& group) {
  return (group.samples + kLanesOf<D> - 1) / kLanesOf<D>;
}
// Returns pixel (0, 0); four pixels of noise may come before a row.
template <class D, typename T = hn::TFromD<D>>
T* strip_of(const Group<T>& group, std::int64_t strip) {
  return group.field + (strip * group.size.height * pitch(group.size.width) + 4) * kLanesOf<D>;
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
void for_each_piece(const Rows& rows, std::int64_t width, const Run& run) {
  for (std::int64_t y = rows.begin; y < rows.end; ++y) {
    for (std::int64_t x = 0; x < width; x += kColumns) {
      run(Piece{y, x, std::min(kColumns, width - x)});
    }
  }
}

// A piece starts inside a block of four pixels if the width is not a multiple of four.
template <class D, typename T = hn::TFromD<D>>
void draw(T* to,
          const NormalGenerator& generator,
          const NoiseStream& noise,
          std::int64_t first,
          std::int64_t count) {
  const std::int64_t lead = first % 4;
  fill_lanes(D(),
             to - lead * kLanesOf<D>,
             generator,
             {noise.first_block + static_cast<std::uint64_t>(first / 4), noise.sample},
             (lead + count + 3) / 4);
}

template <class D, typename T = hn::TFromD<D>>
void read_strip(const Group<T>& group,
                const RightHandSide<T>& b,
                std::int64_t strip,
                double* squares) {
  const NormalGenerator generator(b.noise.seed);
  NoiseStream noise = b.noise;
  noise.sample += static_cast<std::uint64_t>(strip * kLanesOf<D>);
  const std::int64_t width = group.size.width;
  for_each_piece({0, group.size.height}, width, [&](const Piece& piece) {
    const std::int64_t first = piece.y * width + piece.x;
    T* to = strip_of<D>(group, strip) + (piece.y * pitch(width) + piece.x) * kLanesOf<D>;
    if (b.field == nullptr) {
      draw<D>(to, generator, noise, first, piece.count);
    } else {
      std::array<const T*, kLanesOf<D>> from;
      for (std::int64_t lane = 0; lane < kLanesOf<D>; ++lane) {
        from[static_cast<std::size_t>(lane)] =
            b.field + sample_of<D>(group, strip, lane) * pixels_of(group) + first;
      }
      interleave(D(), to, from.data(), piece.count);
    }
    if (squares != nullptr) add_squares(D(), squares, to, piece.count);
  });
}

template <class D, typename T = hn::TFromD<D>>
void read_all(const Group<T>& group, const RightHandSide<T>& b, double* rhs_squares) {
  for (std::int64_t strip = 0; strip < strips_of<D>(group); ++strip) {
    std::array<double, kLanesOf<D>> squares{};
    read_strip<D>(group, b, strip, rhs_squares == nullptr ? nullptr : squares.data());
    if (rhs_squares == nullptr) continue;
    const std::int64_t first = strip * kLanesOf<D>;
    std::copy_n(squares.data(), std::min(kLanesOf<D>, group.samples - first), rhs_squares + first);
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
  deinterleave(D(),
               to.data(),
               strip_of<D>(group, strip) + (piece.y * pitch(width) + piece.x) * kLanesOf<D>,
               sink.mean == nullptr ? nullptr : sink.mean + first,
               piece.count,
               sink.store);
}

template <class D, typename T = hn::TFromD<D>>
void write_rows(const Group<T>& group, const Sink<T>& sink, const Rows& rows) {
  for (std::int64_t strip = 0; strip < strips_of<D>(group); ++strip) {
    for_each_piece(rows, group.size.width, [&](const Piece& piece) {
      write_piece<D>(group, sink, strip, piece);
    });
  }
  hwy::FlushStream();
}

}  // namespace supn::by_class::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
