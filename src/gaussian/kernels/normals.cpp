#include "gaussian/kernels/normals.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/normals.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include <algorithm>

#include "gaussian/kernels/normals-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

template <class D, class V = hn::VFromD<D>>
HWY_INLINE void store_in_order(D d, const V (&normals)[4], hn::TFromD<D>* out) {
#if HWY_TARGET == HWY_SCALAR
  for (int j = 0; j < 4; ++j) hn::StoreU(normals[j], d, out + j);
#else
  hn::StoreInterleaved4(normals[0], normals[1], normals[2], normals[3], d, out);
#endif
}

template <typename T>
void fill(T* out, const NoiseStream& stream, std::int64_t count) {
  const FullTag<T> d;
  constexpr auto kChunk = static_cast<std::int64_t>(4 * hn::MaxLanes(d));
  const NormalGenerator generator(stream.seed);
  constexpr std::int64_t kDraws = kDrawsAtOnce;
  for (std::int64_t done = 0; done < count; done += kDraws * kChunk) {
    CounterStart starts[kDraws];
    for (std::int64_t n = 0; n < kDraws; ++n) {
      starts[n] = {stream.first_block + static_cast<std::uint64_t>((done + n * kChunk) / 4),
                   stream.sample};
    }
    hn::VFromD<decltype(d)> normals[kDraws][4];
    generator.draw<Lanes::kPixelBlocks>(d, normals, starts);
    const bool whole = count - done >= kDraws * kChunk;
    T last[kDraws * kChunk];
    T* to = whole ? out + done : last;
    for (std::int64_t n = 0; n < kDraws; ++n) store_in_order(d, normals[n], to + n * kChunk);
    if (!whole) std::copy_n(last, count - done, out + done);
  }
}

void fill_f32(float* out, const NoiseStream& stream, std::int64_t count) {
  fill(out, stream, count);
}
void fill_f64(double* out, const NoiseStream& stream, std::int64_t count) {
  fill(out, stream, count);
}

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn {

HWY_EXPORT(fill_f32);
HWY_EXPORT(fill_f64);

void fill_standard_normal(float* out, const NoiseStream& stream, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(fill_f32)(out, stream, count);
}
void fill_standard_normal(double* out, const NoiseStream& stream, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(fill_f64)(out, stream, count);
}

}  // namespace supn
#endif
