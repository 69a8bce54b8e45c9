#include "supn/evaluation/threads.hpp"

#include <ATen/Parallel.h>

namespace supn {

ThreadCount::ThreadCount(int threads) : before_(at::get_num_threads()) {
  at::set_num_threads(threads);
}

ThreadCount::~ThreadCount() { at::set_num_threads(before_); }

}  // namespace supn
