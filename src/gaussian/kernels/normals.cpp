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
void fill_in_order(T* out, const NoiseStream& stream, std::int64_t count) {
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

// Pixel blocks [first, first + kDraws) of the lanes from `lane` on.
template <std::size_t kDraws, class D, typename T = hn::TFromD<D>>
HWY_INLINE void draw_lanes(
    D d, const NormalGenerator& generator, const CounterStart& first, T* out, std::int64_t lanes) {
  CounterStart starts[kDraws];
  for (std::size_t n = 0; n < kDraws; ++n) starts[n] = {first.pixel_block + n, first.sample};
  hn::VFromD<D> normals[kDraws][4];
  generator.draw<Lanes::kSamples>(d, normals, starts);
  for (auto& draw : normals) {
    for (auto& pixel : draw) {
      hn::StoreU(pixel, d, out);
      out += lanes;
    }
  }
}

template <class D, typename T = hn::TFromD<D>>
void fill_lanes(D d, T* out, const NoiseStream& stream, std::int64_t blocks, std::int64_t lanes) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  constexpr std::int64_t kDraws = kDrawsAtOnce;
  const NormalGenerator generator(stream.seed);
  for (std::int64_t block = 0; block < blocks;) {
    const bool whole = blocks - block >= kDraws;
    for (std::int64_t lane = 0; lane < lanes; lane += kLanes) {
      const CounterStart first{stream.first_block + static_cast<std::uint64_t>(block),
                               stream.sample + static_cast<std::uint64_t>(lane)};
      T* to = out + 4 * block * lanes + lane;
      if (whole) {
        draw_lanes<kDraws>(d, generator, first, to, lanes);
      } else {
        draw_lanes<1>(d, generator, first, to, lanes);
      }
    }
    block += whole ? kDraws : 1;
  }
}

template <typename T>
void fill_lanes(T* out, const NoiseStream& stream, std::int64_t blocks, std::int64_t lanes) {
  const FullTag<T> all;
  if (lanes % static_cast<std::int64_t>(hn::MaxLanes(all)) == 0) {
    fill_lanes(all, out, stream, blocks, lanes);
  } else {
    fill_lanes(Tag<T, 8>(), out, stream, blocks, lanes);
  }
}

template <typename T>
NormalKernels<T> kernels() {
  return {fill_in_order<T>, fill_lanes<T>};
}
NormalKernels<float> kernels_f32() { return kernels<float>(); }
NormalKernels<double> kernels_f64() { return kernels<double>(); }

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn {

HWY_EXPORT(kernels_f32);
HWY_EXPORT(kernels_f64);

template <>
NormalKernels<float> normal_kernels<float>() {
  return HWY_DYNAMIC_DISPATCH(kernels_f32)();
}
template <>
NormalKernels<double> normal_kernels<double>() {
  return HWY_DYNAMIC_DISPATCH(kernels_f64)();
}

}  // namespace supn
#endif
