#include "gaussian/kernels/scattering.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/scattering.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include "gaussian/kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::scattering::HWY_NAMESPACE {
namespace {

using supn::HWY_NAMESPACE::fused;
using supn::HWY_NAMESPACE::fused_minus;
namespace hn = hwy::HWY_NAMESPACE;

// Eight numbers at most: 8 lanes are whole vectors on every target.
using Lanes = hn::CappedTag<double, 8>;

// Lanes [lane, lane + kVectors vectors).
template <std::size_t kVectors>
HWY_INLINE void solve_lanes(const Step& step, std::int64_t lanes, std::int64_t lane) {
  const Lanes d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  const auto inverse = hn::Set(d, step.inverse);
  hn::Vec<Lanes> own[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::int64_t at = lane + static_cast<std::int64_t>(v) * width;
    own[v] = hn::Mul(hn::LoadU(d, step.sum + at), inverse);
    hn::StoreU(own[v], d, step.value + at);
    hn::StoreU(hn::Zero(d), d, step.sum + at);
  }
  const std::int32_t* const neighbours = step.neighbours.data();
  const double* const coefficients = step.coefficients.data();
  double* const sums = step.sums + lane;
  const std::size_t count = step.neighbours.size();
  for (std::size_t k = 0; k < count; ++k) {
    const auto coefficient = hn::Set(d, coefficients[k]);
    double* const sum = sums + std::int64_t{neighbours[k]} * lanes;
    for (std::size_t v = 0; v < kVectors; ++v) {
      double* const part = sum + static_cast<std::int64_t>(v) * width;
      hn::StoreU(fused_minus(coefficient, own[v], hn::LoadU(d, part)), d, part);
    }
  }
}

void solve_step_of(const Step& step, std::int64_t lanes) {
  const auto width = static_cast<std::int64_t>(hn::Lanes(Lanes()));
  std::int64_t lane = 0;
  for (; lane + 2 * width <= lanes; lane += 2 * width) solve_lanes<2>(step, lanes, lane);
  for (; lane < lanes; lane += width) solve_lanes<1>(step, lanes, lane);
}

void lane_products(const double* values, std::span<const LanePair> pairs, double* sums) {
  const hn::CappedTag<double, 4> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  for (const LanePair& pair : pairs) {
    for (std::int64_t j = 0; j < 4; j += width) {
      const auto product =
          hn::Mul(hn::LoadU(d, values + pair.first + j), hn::LoadU(d, values + pair.second + j));
      hn::StoreU(hn::Add(hn::LoadU(d, sums + j), product), d, sums + j);
    }
    sums += 4;
  }
}

void inner_products(const SparseRow& row, const double* block, std::int64_t lanes, double* sum) {
  const Lanes d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t lane = 0; lane < lanes; lane += width) {
    auto even = hn::LoadU(d, sum + lane);
    auto odd = hn::Zero(d);
    std::size_t i = 0;
    const auto place = [&](std::size_t at) SUPN_LAMBDA {
      return block + std::int64_t{row.positions[at]} * lanes + lane;
    };
    for (; i + 2 <= row.values.size(); i += 2) {
      even = fused(hn::Set(d, row.values[i]), hn::LoadU(d, place(i)), even);
      odd = fused(hn::Set(d, row.values[i + 1]), hn::LoadU(d, place(i + 1)), odd);
    }
    if (i < row.values.size()) {
      even = fused(hn::Set(d, row.values[i]), hn::LoadU(d, place(i)), even);
    }
    hn::StoreU(hn::Add(even, odd), d, sum + lane);
  }
}

}  // namespace
}  // namespace supn::scattering::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn::scattering {
namespace {

HWY_EXPORT(solve_step_of);
HWY_EXPORT(inner_products);
HWY_EXPORT(lane_products);

}  // namespace

void solve_step(const Step& step, std::int64_t lanes) {
  HWY_DYNAMIC_DISPATCH(solve_step_of)(step, lanes);
}

void add_inner_products(const SparseRow& row,
                        const double* block,
                        std::int64_t lanes,
                        double* sum) {
  HWY_DYNAMIC_DISPATCH(inner_products)(row, block, lanes, sum);
}

void add_lane_products(const double* values, std::span<const LanePair> pairs, double* sums) {
  HWY_DYNAMIC_DISPATCH(lane_products)(values, pairs, sums);
}

}  // namespace supn::scattering
#endif
