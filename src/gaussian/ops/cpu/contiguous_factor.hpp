// The maps of a factor as the CPU kernels walk them: in memory order, with φ, e^φ or e^−φ.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>

#include <cstdint>

#include "gaussian/kernels/factor_rows.hpp"
#include "gaussian/kernels/row_kernels.hpp"
#include "gaussian/map_pointer.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::cpu {

inline constexpr std::int64_t kGrain = 16384;  // elements that are worth a thread

// e^{sign·φ}, in the order of memory.
template <typename T>
at::Tensor exponential(const at::Tensor& log_diagonal, T sign) {
  const at::Tensor input = log_diagonal.contiguous();
  at::Tensor result = at::empty_like(input);
  const T* in = input.const_data_ptr<T>();
  T* out = result.mutable_data_ptr<T>();
  at::parallel_for(0, input.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    row::exponential<T>(out + begin, in + begin, sign, end - begin);
  });
  return result;
}

// The factor's maps in memory order, with φ or e^{sign·φ} for the diagonal.
template <typename T>
class ContiguousFactor {
 public:
  explicit ContiguousFactor(const FactorMaps& factor)
      : diagonal_(factor.log_diagonal.contiguous()),
        off_diagonal_(factor.off_diagonal.contiguous()),
        radius_(factor.neighbourhood.radius()) {}
  ContiguousFactor(const FactorMaps& factor, T sign)
      : diagonal_(exponential<T>(factor.log_diagonal, sign)),
        off_diagonal_(factor.off_diagonal.contiguous()),
        radius_(factor.neighbourhood.radius()) {}

  FactorImage<T> image(std::int64_t b) const {
    const std::int64_t height = diagonal_.size(2);
    const std::int64_t width = diagonal_.size(3);
    const std::int64_t channels = off_diagonal_.size(1);
    const T* diagonal = diagonal_.const_data_ptr<T>();
    return {diagonal + b * height * width,
            map_pointer(off_diagonal_, diagonal) + b * channels * height * width,
            height,
            width,
            radius_};
  }

 private:
  at::Tensor diagonal_;
  at::Tensor off_diagonal_;
  std::int64_t radius_;
};

}  // namespace supn::cpu
