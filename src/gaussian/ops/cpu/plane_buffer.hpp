// Maps and samples in the planes of a PlaneLayout, and back. Plain pointers, no threads.
#pragma once

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

// These fill in everything from an image [H,W], margins included, and an image from what every
// level's classes and the coarsest grid hold.
template <typename T>
void read_image(const PlaneLayout& layout, const T* image, const Channel<T>& buffer);
template <typename T>
void write_image(const PlaneLayout& layout, const Channel<T>& buffer, T* image);

}  // namespace supn::cpu
