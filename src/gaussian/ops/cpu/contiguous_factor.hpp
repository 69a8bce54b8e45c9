// The maps of a factor as the CPU kernels walk them: in memory order.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>

#include <cstdint>

#include "gaussian/kernels/factor_view.hpp"
#include "gaussian/kernels/rows.hpp"
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

class ContiguousFactor {
 public:
  explicit ContiguousFactor(const FactorMaps& factor)
      : log_diagonal_(factor.log_diagonal.contiguous()),
        off_diagonal_(factor.off_diagonal.contiguous()),
        radius_(factor.neighbourhood.radius()) {}

  template <typename T>
  FactorView<T> view(std::int64_t b) const {
    const std::int64_t height = log_diagonal_.size(2);
    const std::int64_t width = log_diagonal_.size(3);
    const T* log_diagonal = log_diagonal_.const_data_ptr<T>();
    const T* off_diagonal = map_pointer(off_diagonal_, log_diagonal);
    return {log_diagonal + b * height * width,
            off_diagonal + b * off_diagonal_.size(1) * height * width,
            height,
            width,
            radius_};
  }

 private:
  at::Tensor log_diagonal_;
  at::Tensor off_diagonal_;
  std::int64_t radius_;
};

}  // namespace supn::cpu
