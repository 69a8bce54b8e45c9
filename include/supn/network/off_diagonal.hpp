// The forms of OffDiagonalForm turn raw maps into the off-diagonal part ψ of the factor.
//
// Written as weights w of the recursion d_n = Σ_k w_k[n] d[n + o_k] + innovation, ψ = −e^φ w:
//   contractive  w = −M/(1 + Σ|M|), so Σ|w| < 1
//   factored     I − w = (I − A₁S_x)(I − B₁S_y)(I − A₂S_x)(I − B₂S_y), A, B = cap·tanh M per pixel,
//                S_x, S_y the shifts to the right and the lower neighbour (radius 1: the first two
//                factors); each inverse is a bounded recursion along one direction
//   twofold      I − w = (I − A)(I − B), A, B radius-1 stencils with rows 0.995 M/(1 + Σ|M|)
// See docs/method.md "Forms of ψ".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/network/network_config.hpp"

namespace supn {

// Number of raw maps that a form needs.
std::int64_t raw_map_count(OffDiagonalForm form, const Neighbourhood& neighbourhood);

// Overwrites those entries of the raw maps' bias [raw_map_count] that a form starts from other
// values than a convolution's default ones.
void set_starting_bias(OffDiagonalForm form, const Neighbourhood& neighbourhood, at::Tensor bias);

// γ at the start of training for the forms that have one number c_k = e^{γ_k} per neighbour, else
// 0.
double starting_gamma(OffDiagonalForm form);
bool has_gamma(OffDiagonalForm form);

// Returns the maps a₁, b₁(, a₂, b₂) of `factored` [B,2 or 4,H,W], |a₁|, |b₁| ≤ 0.99,
// |a₂|, |b₂| ≤ 0.8.
at::Tensor factor_coefficients(const at::Tensor& raw);

// A factor I − coefficient·S of a product, S the shift to the neighbour `offset` (zero outside).
struct ShiftFactor {
  Offset offset;
  at::Tensor coefficient;  // [B,1,H,W]
};

// Returns weights w [B,K,H,W] with I − w the product of the factors from left to right. Throws
// c10::Error if the product leaves the neighbourhood.
at::Tensor compose_factors(const std::vector<ShiftFactor>& factors,
                           const Neighbourhood& neighbourhood);

// Weights w [B,12,H,W] with I − w = (I − a)(I − b), a and b [B,4,H,W] stencils of radius 1.
at::Tensor compose_stencils(const at::Tensor& a, const at::Tensor& b);

// Returns ψ [B,K,H,W] of the forms without γ from raw maps [B,raw_map_count,H,W] and φ [B,1,H,W].
at::Tensor off_diagonal_maps(OffDiagonalForm form,
                             const at::Tensor& raw,
                             const at::Tensor& log_diagonal,
                             const Neighbourhood& neighbourhood);

// Returns the logarithm of the marginal std, by the formula for constant coefficients, of
// `factored` at radius 2, [B,1,H,W]: −φ + ½ log g(a₁,a₂) + ½ log g(b₁,b₂) with
// g(a,b) = (1+ab)/((1−ab)(1−a²)(1−b²)).
at::Tensor local_log_std(const at::Tensor& coefficients, const at::Tensor& log_diagonal);

}  // namespace supn
