#include "supn/network/off_diagonal.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <map>
#include <optional>

namespace supn {
namespace {

constexpr double kFirstCap = 0.99;  // of a₁, b₁
constexpr double kSecondCap =
    0.8;  // of a₂, b₂: larger ones let marginals grow far beyond the members'
constexpr double kStencilBound = 0.995;
const Offset kRight{0, 1};
const Offset kBelow{1, 0};

struct RasterOrder {
  bool operator()(const Offset& a, const Offset& b) const {
    return std::pair(a.dy, a.dx) < std::pair(b.dy, b.dx);
  }
};
using Stencil = std::map<Offset, at::Tensor, RasterOrder>;

// The map read at the neighbour: result[n] = map[n + offset], zero outside. Slices count from the
// ends: tracing (torch_script.cpp) would take sizes for constants.
at::Tensor read_at(const at::Tensor& map, const Offset& offset) {
  const std::int64_t left = std::max<std::int64_t>(0, -offset.dx);
  const std::int64_t right = std::max<std::int64_t>(0, offset.dx);
  return at::constant_pad_nd(map, {left, right, 0, offset.dy}, 0)
      .slice(2, offset.dy)
      .slice(3, right, left > 0 ? std::optional<std::int64_t>(-left) : std::nullopt);
}

void add_to(Stencil& stencil, const Offset& offset, const at::Tensor& term) {
  const auto [position, inserted] = stencil.try_emplace(offset, term);
  if (!inserted) position->second = position->second + term;
}

// Returns weights w of the stencil I − w.
at::Tensor weights(const Stencil& stencil, const Neighbourhood& neighbourhood) {
  const at::Tensor zero = at::zeros_like(stencil.begin()->second);
  std::vector<at::Tensor> maps;
  for (const Offset& offset : neighbourhood.offsets()) {
    const auto found = stencil.find(offset);
    maps.push_back(found == stencil.end() ? zero : -found->second);
  }
  TORCH_CHECK(std::all_of(stencil.begin(),
                          stencil.end(),
                          [&](const auto& term) {
                            const Offset& offset = term.first;
                            const auto& known = neighbourhood.offsets();
                            return offset == Offset{0, 0} ||
                                   std::find(known.begin(), known.end(), offset) != known.end();
                          }),
              "compose_factors: the product leaves the neighbourhood of radius ",
              neighbourhood.radius());
  return at::cat(maps, 1);
}

at::Tensor bounded_rows(const at::Tensor& raw, double bound) {
  return bound * raw / (1 + raw.abs().sum(1, true));
}

at::Tensor factored_weights(const at::Tensor& raw, const Neighbourhood& neighbourhood) {
  const at::Tensor coefficients = factor_coefficients(raw);
  std::vector<ShiftFactor> factors;
  for (std::int64_t i = 0; i < coefficients.size(1); ++i) {
    factors.push_back({i % 2 == 0 ? kRight : kBelow, coefficients.narrow(1, i, 1)});
  }
  return compose_factors(factors, neighbourhood);
}

// log g(a, b), the log-variance of (1 − aS)(1 − bS)x = e with unit innovations.
at::Tensor log_gain(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor ab = a * b;
  return ab.log1p() - (-ab).log1p() - (-a * a).log1p() - (-b * b).log1p();
}

}  // namespace

std::int64_t raw_map_count(OffDiagonalForm form, const Neighbourhood& neighbourhood) {
  if (neighbourhood.radius() == 0) return 0;
  if (form == OffDiagonalForm::kFactored) return 2 * neighbourhood.radius();
  if (form == OffDiagonalForm::kTwofold) return 2 * Neighbourhood(1).size();
  return neighbourhood.size();
}

bool has_gamma(OffDiagonalForm form) {
  return form == OffDiagonalForm::kPaper || form == OffDiagonalForm::kRelative;
}

double starting_gamma(OffDiagonalForm form) {
  return form == OffDiagonalForm::kPaper ? -4.0 : form == OffDiagonalForm::kRelative ? -2.0 : 0.0;
}

void set_starting_bias(OffDiagonalForm form, const Neighbourhood& neighbourhood, at::Tensor bias) {
  if (form == OffDiagonalForm::kContractive) {
    // The mean of the right and the lower neighbour.
    const std::int64_t right = 0;
    const std::int64_t below = 2 * neighbourhood.radius();  // channel of (1,0)
    bias[right] = -4.0;
    bias[below] = -4.0;
  } else if (form == OffDiagonalForm::kFactored) {
    bias.fill_(0.2);
    bias.narrow(0, 0, 2).fill_(1.5);
  } else if (form == OffDiagonalForm::kTwofold) {
    bias.zero_();
    bias[0] = 4.0;  // A: the right neighbour
    bias[6] = 4.0;  // B: the lower neighbour
  }
}

at::Tensor factor_coefficients(const at::Tensor& raw) {
  const at::Tensor bounded = raw.tanh();
  if (raw.size(1) == 2) return bounded * kFirstCap;
  return at::cat({bounded.narrow(1, 0, 2) * kFirstCap, bounded.narrow(1, 2, 2) * kSecondCap}, 1);
}

at::Tensor compose_factors(const std::vector<ShiftFactor>& factors,
                           const Neighbourhood& neighbourhood) {
  TORCH_CHECK(!factors.empty(), "compose_factors: there are no factors");
  Stencil product{{Offset{0, 0}, at::ones_like(factors.front().coefficient)}};
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    Stencil next = product;
    for (const auto& [offset, map] : product) {
      add_to(next,
             {factor->offset.dy + offset.dy, factor->offset.dx + offset.dx},
             -factor->coefficient * read_at(map, factor->offset));
    }
    product = std::move(next);
  }
  return weights(product, neighbourhood);
}

at::Tensor compose_stencils(const at::Tensor& a, const at::Tensor& b) {
  const std::vector<Offset> offsets = Neighbourhood(1).offsets();
  Stencil product;
  for (std::int64_t i = 0; i < 4; ++i) {
    const Offset& first = offsets[static_cast<std::size_t>(i)];
    add_to(product, first, -(a.narrow(1, i, 1) + b.narrow(1, i, 1)));
    for (std::int64_t j = 0; j < 4; ++j) {
      const Offset& second = offsets[static_cast<std::size_t>(j)];
      add_to(product,
             {first.dy + second.dy, first.dx + second.dx},
             a.narrow(1, i, 1) * read_at(b.narrow(1, j, 1), first));
    }
  }
  return weights(product, Neighbourhood(2));
}

at::Tensor off_diagonal_maps(OffDiagonalForm form,
                             const at::Tensor& raw,
                             const at::Tensor& log_diagonal,
                             const Neighbourhood& neighbourhood) {
  switch (form) {
    case OffDiagonalForm::kNone:
      return raw;
    case OffDiagonalForm::kContractive:
      return log_diagonal.exp() * bounded_rows(raw, 1.0);
    case OffDiagonalForm::kFactored:
      return -log_diagonal.exp() * factored_weights(raw, neighbourhood);
    case OffDiagonalForm::kTwofold:
      return -log_diagonal.exp() *
             compose_stencils(bounded_rows(raw.narrow(1, 0, 4), kStencilBound),
                              bounded_rows(raw.narrow(1, 4, 4), kStencilBound));
    default:
      TORCH_CHECK(false, "off_diagonal_maps: form ", option_name(form), " needs its scales γ");
  }
}

at::Tensor local_log_std(const at::Tensor& coefficients, const at::Tensor& log_diagonal) {
  TORCH_CHECK(coefficients.size(1) == 4,
              "local_log_std: needs the 4 coefficient maps of radius 2, got ",
              coefficients.size(1));
  const auto map = [&](std::int64_t i) { return coefficients.narrow(1, i, 1); };
  return -log_diagonal + 0.5 * (log_gain(map(0), map(2)) + log_gain(map(1), map(3)));
}

}  // namespace supn
