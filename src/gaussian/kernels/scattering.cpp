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

void solve_step_of(const Step& step, std::int64_t lanes) {
  const Lanes d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t lane = 0; lane < lanes; lane += width) {
    const auto own = hn::Mul(hn::LoadU(d, step.sum + lane), hn::Set(d, step.inverse));
    hn::StoreU(own, d, step.value + lane);
    hn::StoreU(hn::Zero(d), d, step.sum + lane);
    for (std::size_t k = 0; k < step.neighbours.size(); ++k) {
      double* sum = step.sums + std::int64_t{step.neighbours[k]} * lanes + lane;
      hn::StoreU(fused_minus(hn::Set(d, step.coefficients[k]), own, hn::LoadU(d, sum)), d, sum);
    }
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

}  // namespace supn::scattering
#endif
