// Maps and samples in the planes of a PlaneLayout, and back. Plain pointers, no threads.
#pragma once

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/ops/cpu/plane_layout.hpp"

namespace supn::cpu {

// Sets what lies outside the image to zero, in all planes.
template <typename T>
void clear_margins(const PlaneLayout& layout, const Channel<T>& buffer);

// Level l's copies of the coarser grid → all planes of level l + 1 (or the coarsest grid), and
// back.
template <typename T>
void descend(const PlaneLayout& layout, std::size_t level, const Channel<T>& buffer);
template <typename T>
void lift(const PlaneLayout& layout, std::size_t level, const Channel<T>& buffer);

// Adds all levels' copies to the pixels that they are copies of, the finest first.
template <typename T>
void add_copies(const PlaneLayout& layout, const Channel<T>& buffer);

// Row y of an image [W] to all planes that have pixels of it.
template <typename T>
void read_row(const PlaneLayout& layout, std::int64_t y, const T* row, const Channel<T>& buffer);

// Row y of an image from what every level's classes and the coarsest grid hold.
template <typename T>
void write_row(const PlaneLayout& layout, std::int64_t y, const Channel<T>& buffer, T* row);

// These fill in all pixels from an image [H,W], or the margins as well, and an image row by row.
template <typename T>
void read_rows(const PlaneLayout& layout, const T* image, const Channel<T>& buffer);
template <typename T>
void read_image(const PlaneLayout& layout, const T* image, const Channel<T>& buffer);
template <typename T>
void write_image(const PlaneLayout& layout, const Channel<T>& buffer, T* image);

// One row of an image, of several channels, in parts: the rows that planes of all levels have of
// it.
template <typename T>
class RowParts {
 public:
  RowParts(const PlaneLayout& layout, std::int64_t channels)
      : layout_(layout), data_(channels * layout.row_words()) {}

  // Returns the row of a class's plane.
  T* at(std::int64_t channel, const Plane& plane) const {
    return data_.data() + channel * layout_.row_words() + plane.part;
  }
  // Returns the part of a phase of a level's columns.
  T* at(std::int64_t channel, const PlaneLevel& level, std::int64_t phase) const {
    return data_.data() + channel * layout_.row_words() + level.part + phase * level.part_pitch;
  }
  // Puts row y of an image together from what the classes hold.
  void write(std::int64_t y, std::int64_t channel, T* row) const;

 private:
  const PlaneLayout& layout_;
  AlignedBuffer<T> data_;
};

}  // namespace supn::cpu
