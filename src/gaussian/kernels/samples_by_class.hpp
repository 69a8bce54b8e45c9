// A substitution for many samples of one image in the order from coarse to fine: a lane of the
// vector registers is a sample, and the whole image of a group of samples is held, so that rows of
// classes can be solved in any order. No threads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gaussian/kernels/substitution.hpp"
#include "supn/image_size.hpp"

namespace supn::by_class {

// A group of samples is this wide at most: a cache line for each pixel.
template <typename T>
inline constexpr std::int64_t kMostLanes = 64 / static_cast<std::int64_t>(sizeof(T));

// A pixel has this many neighbours at most.
inline constexpr std::size_t kMostNeighbours = 24;

struct Neighbour {
  std::int64_t channel;  // of the coefficients
  std::int64_t row;      // inside the image
  std::int64_t column;   // of pixel 0's neighbour, inside the image or not
};

// Pixels (row, column + j·apart), j < count, of a class. Coefficient k of pixel j is
// coefficients[k·channel_apart + j].
template <typename T>
struct ClassRow {
  std::int64_t row;
  std::int64_t column;
  std::int64_t apart;
  std::int64_t count;
  // Neighbours of pixels [inner_begin, inner_end) lie inside the image, and none is of the class.
  std::int64_t inner_begin;
  std::int64_t inner_end;
  const T* inverse;  // e^−φ of pixel j
  const T* coefficients;
  std::int64_t channel_apart;
  std::int64_t row_apart;  // to the coefficients of the class's next row
  std::span<const Neighbour> neighbours;
};

// Where a field has its pixels, in pixels: [H][phase][part]. Columns of one phase, modulo the period
// of the classes, lie side by side: memory is quick where a row of a class is one stretch.
class Places {
 public:
  Places(const ImageSize& size, std::int64_t period)
      : height_(size.height),
        shift_(std::countr_zero(static_cast<std::uint64_t>(period))),
        part_((size.width + period - 1) / period + kApart),
        pitch_(period * part_ + kApart) {}

  std::int64_t period() const { return std::int64_t{1} << shift_; }
  std::int64_t count() const { return height_ * pitch_ + 1; }
  std::int64_t of(std::int64_t row, std::int64_t column) const {
    return 1 + row * pitch_ + (column & (period() - 1)) * part_ + (column >> shift_);
  }

 private:
  // Noise comes four pixels at a time, and parts whole pages apart would drive each other out of
  // the cache.
  static constexpr std::int64_t kApart = 3;

  std::int64_t height_;
  int shift_;  // of the period, a power of 2
  std::int64_t part_;
  std::int64_t pitch_;
};

template <typename T>
struct Group {
  T* field;  // [strips][place][lanes]: one strip, or several of narrower vectors
  ImageSize size;
  Places places;
  std::int64_t samples;  // ≤ kMostLanes<T>
};

// Fills the group's lanes with a row of b. Its squares are added to rhs_squares [S], unless null.
void read(const Group<float>& group,
          const RightHandSide<float>& b,
          std::int64_t row,
          double* rhs_squares);
void read(const Group<double>& group,
          const RightHandSide<double>& b,
          std::int64_t row,
          double* rhs_squares);

// One step of L⁻ᵀb for a row of a class, from its last pixel on: b becomes the solution. What the
// rounded values leave of the equation is squared and added to residual_squares [S], unless null.
void substitute(const Group<float>& group, const ClassRow<float>& row, double* residual_squares);
void substitute(const Group<double>& group, const ClassRow<double>& row, double* residual_squares);

// A row of the solutions to the sink's values, with its mean.
void write(const Group<float>& group, const Sink<float>& sink, std::int64_t row);
void write(const Group<double>& group, const Sink<double>& sink, std::int64_t row);

}  // namespace supn::by_class
