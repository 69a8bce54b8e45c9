#include "gaussian/sparse/stencil_matrix.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace supn {
namespace {

// An entry of row j of Lᵀ: e^φ at j itself, ψ_k at its neighbour.
struct Entry {
  Offset offset;
  const double* values;  // [H,W], at j
};

// Returns the channel of coupled_offsets.
std::int64_t channel(const Offset& offset, std::int64_t radius) {
  if (offset.dy == 0) return offset.dx;
  return 2 * radius + 1 + (offset.dy - 1) * (4 * radius + 1) + offset.dx + 2 * radius;
}

// Row y of the channel that couples a's and b's pixels, b later: the products of all j whose a is
// in the row.
void add_pair(const Entry& a, const Entry& b, std::int64_t y, const ImageSize& size, double* row) {
  const std::int64_t own = y - a.offset.dy;
  if (own < 0 || own + b.offset.dy >= size.height) return;
  const std::int64_t left = std::min<std::int64_t>({0, a.offset.dx, b.offset.dx});
  const std::int64_t right = std::max<std::int64_t>({0, a.offset.dx, b.offset.dx});
  const double* first = a.values + own * size.width;
  const double* second = b.values + own * size.width;
  for (std::int64_t x = -left; x < size.width - right; ++x) {
    row[x + a.offset.dx] += first[x] * second[x];
  }
}

}  // namespace

std::vector<Offset> coupled_offsets(std::int64_t radius) {
  std::vector<Offset> offsets;
  for (std::int64_t dx = 0; dx <= 2 * radius; ++dx) offsets.push_back({0, dx});
  for (std::int64_t dy = 1; dy <= radius; ++dy) {
    for (std::int64_t dx = -2 * radius; dx <= 2 * radius; ++dx) offsets.push_back({dy, dx});
  }
  return offsets;
}

// Λ = Σ_j c_j c_jᵀ, c_j = row j of Lᵀ.
StencilMatrix precision_matrix(const StructuredGaussian& gaussian) {
  const ImageSize size = gaussian.size();
  const std::int64_t radius = gaussian.neighbourhood().radius();
  const std::int64_t pixels = size.height * size.width;
  const at::Tensor diagonal = gaussian.log_diagonal().exp();
  const double* psi = gaussian.off_diagonal().const_data_ptr<double>();
  std::vector<Entry> entries{{{0, 0}, diagonal.const_data_ptr<double>()}};
  for (const Offset& offset : gaussian.neighbourhood().offsets()) {
    entries.push_back({offset, psi});
    psi += pixels;
  }
  StencilMatrix matrix{{}, coupled_offsets(radius)};
  const auto channels = static_cast<std::int64_t>(matrix.offsets.size());
  matrix.values = at::zeros({channels, size.height, size.width}, diagonal.options());
  double* out = matrix.values.mutable_data_ptr<double>();
  at::parallel_for(0, size.height, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y) {
      for (std::size_t a = 0; a < entries.size(); ++a) {
        for (std::size_t b = a; b < entries.size(); ++b) {
          const Offset apart{entries[b].offset.dy - entries[a].offset.dy,
                             entries[b].offset.dx - entries[a].offset.dx};
          double* row = out + channel(apart, radius) * pixels + y * size.width;
          add_pair(entries[a], entries[b], y, size, row);
        }
      }
    }
  });
  return matrix;
}

}  // namespace supn
