#include "banded_system.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "exact_form.hpp"

namespace supn {
namespace {

enum class Along { kColumns, kRows };

// What the precision couples with a pixel, later ones: |dy| ≤ r, |dx| ≤ 2r.
std::int64_t bandwidth_of(const std::vector<std::int64_t>& place,
                          const ImageSize& size,
                          std::int64_t radius) {
  std::int64_t bandwidth = 0;
  for (std::int64_t n = 0; n < size.height * size.width; ++n) {
    const std::int64_t own = place[static_cast<std::size_t>(n)];
    if (own < 0) continue;
    const std::int64_t x = n % size.width;
    for (std::int64_t dy = 0; dy <= radius && n / size.width + dy < size.height; ++dy) {
      const std::int64_t first = std::max(-x, dy == 0 ? 0 : -2 * radius);
      const std::int64_t last = std::min(size.width - 1 - x, 2 * radius);
      for (std::int64_t dx = first; dx <= last; ++dx) {
        const std::int64_t other = place[static_cast<std::size_t>(n + dy * size.width + dx)];
        if (other >= 0) bandwidth = std::max(bandwidth, std::abs(other - own));
      }
    }
  }
  return bandwidth;
}

BandNumbering numbered(const StructuredGaussian& gaussian,
                       const std::vector<bool>& known,
                       Along along) {
  const auto [height, width] = gaussian.size();
  BandNumbering numbering;
  numbering.place.assign(known.size(), -1);
  const auto count = static_cast<std::int64_t>(known.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t pixel = along == Along::kRows ? i : i % height * width + i / height;
    if (known[static_cast<std::size_t>(pixel)]) continue;
    numbering.place[static_cast<std::size_t>(pixel)] =
        static_cast<std::int64_t>(numbering.pixels.size());
    numbering.pixels.push_back(pixel);
  }
  numbering.bandwidth =
      bandwidth_of(numbering.place, gaussian.size(), gaussian.neighbourhood().radius());
  return numbering;
}

struct Entry {
  std::int64_t place;
  double value;
};

}  // namespace

BandNumbering band_numbering(const StructuredGaussian& gaussian,
                             const ObservationSet& observations) {
  std::vector<bool> known(static_cast<std::size_t>(gaussian.pixels()), false);
  for (const std::int64_t i : observations.exact_positions()) {
    known[static_cast<std::size_t>(observations.pixels[static_cast<std::size_t>(i)])] = true;
  }
  BandNumbering columns = numbered(gaussian, known, Along::kColumns);
  BandNumbering rows = numbered(gaussian, known, Along::kRows);
  return columns.bandwidth <= rows.bandwidth ? columns : rows;
}

BandedSystem::BandedSystem(const StructuredGaussian& gaussian,
                           const ObservationSet& observations,
                           BandNumbering numbering)
    : PrecisionSystem(gaussian, observations),
      numbering_(std::move(numbering)),
      cholesky_(static_cast<std::int64_t>(numbering_.pixels.size()), numbering_.bandwidth) {}

std::unique_ptr<BandedSystem> BandedSystem::make(const StructuredGaussian& gaussian,
                                                 const ObservationSet& observations,
                                                 BandNumbering numbering) {
  std::unique_ptr<BandedSystem> system(
      new BandedSystem(gaussian, observations, std::move(numbering)));
  system->assemble();
  if (!system->cholesky_.factorize()) return nullptr;
  return system;
}

// Λ = Σ_j c_j c_jᵀ, c_j = row j of Lᵀ: e^φ at j and ψ_k at its neighbours.
void BandedSystem::assemble() {
  const auto [height, width] = gaussian().size();
  const std::vector<Offset>& offsets = gaussian().neighbourhood().offsets();
  const at::Tensor diagonal = gaussian().log_diagonal().exp();
  const double* own = diagonal.const_data_ptr<double>();
  const double* psi = gaussian().off_diagonal().const_data_ptr<double>();
  std::vector<Entry> row;
  const auto add = [&](std::int64_t pixel, double value) {
    const std::int64_t place = numbering_.place[static_cast<std::size_t>(pixel)];
    if (place >= 0) row.push_back({place, value});
  };
  for (std::int64_t n = 0; n < height * width; ++n) {
    row.clear();
    add(n, own[n]);
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      const std::int64_t x = n % width + offsets[k].dx;
      if (n / width + offsets[k].dy >= height || x < 0 || x >= width) continue;
      add(n + offsets[k].dy * width + offsets[k].dx,
          psi[static_cast<std::int64_t>(k) * height * width + n]);
    }
    for (const Entry& a : row) {
      for (const Entry& b : row) {
        if (a.place >= b.place) cholesky_.entry(a.place, b.place) += a.value * b.value;
      }
    }
  }
  const double* added = added_precision().const_data_ptr<double>();
  for (std::size_t i = 0; i < numbering_.pixels.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    cholesky_.entry(place, place) += added[numbering_.pixels[i]];
  }
}

at::Tensor BandedSystem::solve(const at::Tensor& right_side) {
  const at::Tensor numbered_side = gathered(right_side, numbering_.pixels).t();
  return scattered(cholesky_.solve(numbered_side).t(), numbering_.pixels, gaussian().size());
}

// det M = det A / det Λ · Π R over the noisy observations.
double BandedSystem::log_determinant() {
  const at::Tensor& noise = observations().noise_variance;
  const double noisy = noise.masked_select(noise.gt(0.0)).log().sum().item<double>();
  return cholesky_.log_determinant() - 2.0 * gaussian().log_diagonal().sum().item<double>() + noisy;
}

// M⁻¹ = 1/R − (posterior covariance of the observed)/R².
at::Tensor BandedSystem::precision_diagonal() {
  TORCH_CHECK(
      observations().exact_positions().empty(),
      "ConditionedGaussian::distances: the banded method needs a noise variance of every "
      "observation, and observation ",
      observations().position[static_cast<std::size_t>(observations().exact_positions().front())],
      " is exact; give one, or choose the dense method");
  const at::Tensor inverse = observations().noise_variance.reciprocal();
  const at::Tensor posterior = gathered(variance(), observations().pixels).squeeze(0);
  return inverse.sub(posterior.mul(inverse).mul(inverse)).clamp_min(0.0);
}

at::Tensor BandedSystem::variance() {
  if (!variance_.defined()) {
    variance_ =
        scattered(cholesky_.inverse_diagonal().unsqueeze(0), numbering_.pixels, gaussian().size());
  }
  return variance_;
}

}  // namespace supn
