// These kernels loop over rows of planes (ops/cpu/plane_layout.hpp): every class of the order from
// coarse to fine is a small image of its own, every neighbour a shifted row, so all accesses have
// unit stride. Each element is one chain of fused multiply-adds in the order of the terms: the same
// bits for any number of samples and any instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace supn::planes {

// Adds coefficient[j]·field[s·stride + j].
template <typename T>
struct Term {
  const T* coefficient;
  const T* field;
};

// The rows of S samples, one `stride` apart.
struct RowShape {
  std::int64_t length;
  std::int64_t samples;
  std::int64_t stride;
};

// x ← (b − Σ_i coefficient_i·field_i)·scale for every sample's row, which holds b: one step of a
// substitution. Without a scale (nullptr) it is 1. With residual_squares [S] the squares of what
// the rounded x leaves of the equation, x/scale − (b − Σ …), are added to them.
template <typename T>
struct Substitution {
  std::span<const Term<T>> terms;
  const T* scale;
  T* row;
  double* residual_squares = nullptr;
};
void substitute(const Substitution<float>& step, const RowShape& shape);
void substitute(const Substitution<double>& step, const RowShape& shape);

// sum[j] = Σ_s p_s[j]·field[s·stride + j], the samples in order.
template <typename T>
struct SampleSum {
  const T* field;
  T* sum;
};
// p_s[j] = weights[s]·own[s·apart + j], without weights (nullptr) own itself. own_sum[j] ← −Σ_s
// p_s[j], unless null.
template <typename T>
struct SampleSums {
  const T* own;
  std::int64_t apart;
  const T* weights = nullptr;
  T* own_sum = nullptr;
  std::span<const SampleSum<T>> sums = {};
};
void sum_over_samples(const SampleSums<float>& sums, const RowShape& shape);
void sum_over_samples(const SampleSums<double>& sums, const RowShape& shape);

}  // namespace supn::planes
