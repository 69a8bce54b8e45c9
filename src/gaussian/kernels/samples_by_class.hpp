// A substitution for many samples of one image in the order from coarse to fine: a lane of the
// vector registers is a sample, and the whole image of a group of samples is held, [pixel][lane],
// so that rows of classes can be solved in any order. No threads.
#pragma once

#include <cstdint>
#include <span>

#include "gaussian/kernels/substitution.hpp"
#include "supn/image_size.hpp"

namespace supn::by_class {

// A group of samples is this wide at most: a cache line for each pixel.
template <typename T>
inline constexpr std::int64_t kMostLanes = 64 / static_cast<std::int64_t>(sizeof(T));

// The pixels of a class's row read this of a neighbour: ψ of every pixel of the row, and where the
// neighbours are.
template <typename T>
struct Neighbour {
  const T* coefficients;
  std::int64_t column;  // of the first pixel's neighbour, inside the image or not
  std::int64_t row;     // inside the image
};

// Pixels (row, column + i·apart), i < count.
template <typename T>
struct ClassRow {
  std::int64_t row;
  std::int64_t column;
  std::int64_t apart;
  std::int64_t count;
  const T* inverse;  // e^−φ of every pixel
  std::span<const Neighbour<T>> neighbours;
};

// Returns the pixels from row to row of a field: noise comes four pixels at a time, and rows whole
// pages apart would drive each other out of the cache.
constexpr std::int64_t pitch(std::int64_t width) { return width + 10; }
// Returns how many numbers a field has.
template <typename T>
constexpr std::int64_t words(const ImageSize& size) {
  return size.height * pitch(size.width) * kMostLanes<T>;
}

template <typename T>
struct Group {
  T* field;  // [strips][H, pitch][lanes]: one strip, or several of narrower vectors
  ImageSize size;
  std::int64_t samples;  // ≤ kMostLanes<T>
};

// Fills the group's lanes with b. rhs_squares [S] ← ‖b‖², unless null.
void read(const Group<float>& group, const RightHandSide<float>& b, double* rhs_squares);
void read(const Group<double>& group, const RightHandSide<double>& b, double* rhs_squares);

// One step of L⁻ᵀb for a row of a class, from its last pixel on: b becomes the solution. What the
// rounded values leave of the equation is squared and added to residual_squares [S], unless null.
void substitute(const Group<float>& group, const ClassRow<float>& row, double* residual_squares);
void substitute(const Group<double>& group, const ClassRow<double>& row, double* residual_squares);

// Rows begin … end − 1 of the solutions to the sink's values, with its mean.
struct Rows {
  std::int64_t begin;
  std::int64_t end;
};
void write(const Group<float>& group, const Sink<float>& sink, const Rows& rows);
void write(const Group<double>& group, const Sink<double>& sink, const Rows& rows);

}  // namespace supn::by_class
