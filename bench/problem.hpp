// What the sections share: a Gaussian with its noise, and the competitors that are ours.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "competitor.hpp"
#include "factors.hpp"
#include "row.hpp"
#include "sparse_factor.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn::bench {

constexpr std::uint64_t kSeed = 1;
constexpr ImageSize kSmallSize{96, 320};
constexpr ImageSize kMainSize{192, 640};  // of all targets
constexpr ImageSize kLargeSize{384, 1280};

class Problem {
 public:
  Problem(FactorKind kind,
          const ImageSize& size,
          const Neighbourhood& neighbourhood = Neighbourhood(2));

  FactorKind kind() const { return kind_; }
  const StructuredGaussian& gaussian() const { return gaussian_; }  // float32
  // Made anew. Throws c10::Error unless the order is raster.
  SparseFactor sparse() const { return sparse_factor(gaussian_); }
  std::int64_t pixels() const { return gaussian_.pixels(); }
  // Terms of a pixel's row of Lᵀ.
  std::int64_t terms() const { return gaussian_.neighbourhood().size() + 1; }

  // ε [1,count,H,W] float32: what sample() draws with kSeed.
  at::Tensor noise(std::int64_t count) const;
  // Draws [1,count,H,W] float32 of the Gaussian itself.
  at::Tensor draws(std::int64_t count) const;

  // A row of this problem with its description filled in.
  Row row(const std::string& section, const std::string& subject) const;

  // Of one of `samples` right-hand sides: the factor is read once for all, b read, x written.
  Work solve_work(std::int64_t samples) const;

 private:
  FactorKind kind_;
  StructuredGaussian gaussian_;
};

// Relative difference that rounding in float32 explains at most, by the factor's coupling.
double float32_tolerance(FactorKind kind);

// L⁻ᵀb by substitution, b given.
Competitor exact_solve(const Problem& problem, const at::Tensor& b);

// sample(): noise generation and solve; the answer is x − μ.
Competitor exact_samples(const Problem& problem, std::int64_t count);

// The same under another name; its time with so many threads.
Competitor named(Competitor competitor, const std::string& name);
Competitor with_threads(Competitor competitor, int threads);

Target at_least(const std::string& quantity, double bound);
Target at_most(const std::string& quantity, double bound);

}  // namespace supn::bench
