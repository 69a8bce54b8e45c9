// The inner loops of vector_tile.hpp on a processor with AVX2: a substitution in float32 for eight
// samples side by side, one vector register each pixel, a piece of an image row at a time. To be
// called only where processor_has_avx2(). Plain pointers, no threads.
//
// Each lane is the chain of operations of one sample in the order of factor_rows.hpp: the bits are
// those of one sample alone.
#pragma once

#include <cstdint>

#include "gaussian/kernels/factor_rows.hpp"

namespace supn::strip {

inline constexpr std::int64_t kLanes = 8;      // samples
inline constexpr std::int64_t kColumns = 128;  // of a piece, at most
inline constexpr std::int64_t kMostRadius = 2;

// A pixel's coefficients in the order of their use: −ψ, e^−φ, e^φ, and what fills a power of two.
constexpr std::int64_t weight_count(std::int64_t radius) { return radius == 1 ? 8 : 16; }

// weights[x][weight_count(r)] of row y. Coefficients whose neighbour is outside the image are −0:
// their product with +0 leaves every value as it is. `direct` is e^φ of the image.
template <Side kSide>
void fill_weights(float* weights,
                  const FactorImage<float>& image,
                  const float* direct,
                  std::int64_t y);

// A piece of a row, every array [column][8] and pointing at its first column; the solutions must
// be readable `radius` columns beyond it on the sides where neighbours are, zero outside the image.
struct Piece {
  const float* weights;
  const float* finished[kMostRadius];  // finished[dy − 1]: the solution dy rows away
  const float* rhs;
  float* solution;
  std::int64_t columns;
  std::int64_t radius;
};

// solution ← (rhs − Σ neighbours' products)·e^−φ: from the right for kLater, from the left for
// kEarlier.
template <Side kSide>
void substitute(const Piece& piece);

// The same for kLater, and residual [column][8] ← Lᵀs − rhs.
void substitute_with_residual(const Piece& piece, float* residual);

// sums[lane] += Σ_x field[x][lane]² in f64, from the first column on.
void add_squares(double* sums, const float* field, std::int64_t columns);

// to[x][lane] = from[lane][x], x < columns.
void interleave(float* to, const float* const* from, std::int64_t columns);

enum class Store { kCached, kPastCaches };

// to[lane][x] = from[x][lane], plus mean[x] unless mean is null. kPastCaches is for results too
// large to stay in a cache: every to[lane] must be on a cache line, columns a multiple of 16, and
// finish_stores() must follow before another thread reads.
void deinterleave(
    float* const* to, const float* from, const float* mean, std::int64_t columns, Store store);
void finish_stores();

}  // namespace supn::strip
