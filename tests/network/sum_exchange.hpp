// Threads in the place of processes: each hands in its tensor and takes the sum of all.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <array>
#include <barrier>

#include "supn/network/batch_norm.hpp"

namespace supn {

class SumExchange {
 public:
  static constexpr std::size_t kProcesses = 2;

  SumOverProcesses of(std::size_t place) {
    return [this, place](at::Tensor& values) {
      given_[place] = values.clone();
      all_here_.arrive_and_wait();
      values = given_[0] + given_[1];
      all_here_.arrive_and_wait();
      ++calls_[place];
    };
  }
  int calls(std::size_t place) const { return calls_[place]; }

 private:
  std::array<at::Tensor, kProcesses> given_;
  std::array<int, kProcesses> calls_{};
  std::barrier<> all_here_{kProcesses};
};

}  // namespace supn
