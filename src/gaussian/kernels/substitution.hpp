// The substitutions of samples_in_lanes.hpp and rows_in_lanes.hpp solve for some samples of one
// image; these types say what to solve for and where the results go.
#pragma once

#include <cstdint>

#include "gaussian/kernels/normals.hpp"

namespace supn {

// b [S,H,W]: a field in memory, or standard normals drawn while they are needed.
template <typename T>
struct RightHandSide {
  const T* field;     // null: the normals
  NoiseStream noise;  // of the first sample
};

// kPastCaches is for results too large to stay in a cache: they start on a cache line, and so does
// every row.
enum class Store { kCached, kPastCaches };

// Says where the samples' solutions go.
template <typename T>
struct Sink {
  T* values;                 // [S,H,W] ← solution, plus the mean unless that is null
  const T* mean;             // [H,W]
  double* residual_squares;  // [S] ← ‖Lᵀs − b‖², unless null
  double* rhs_squares;       // [S] ← ‖b‖²
  Store store;
};

}  // namespace supn
