#include "network/kernels/elementwise.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "network/kernels/elementwise.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include "gaussian/kernels/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::elementwise::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void elu_of(float* x, std::int64_t count) {
  const supn::HWY_NAMESPACE::FullTag<float> d;
  const auto unit = [d](auto v) SUPN_LAMBDA {
    const auto below = hn::Sub(supn::HWY_NAMESPACE::exponential(d, v), hn::Set(d, 1.0F));
    return hn::IfThenElse(hn::Gt(v, hn::Zero(d)), v, below);
  };
  supn::HWY_NAMESPACE::for_each_element(x, count, unit, x);
}

}  // namespace
}  // namespace supn::elementwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn::elementwise {
namespace {

HWY_EXPORT(elu_of);

}  // namespace

void elu(float* x, std::int64_t count) { HWY_DYNAMIC_DISPATCH(elu_of)(x, count); }

}  // namespace supn::elementwise
#endif
