// ATen's sums over large tensors depend in their last bits on the number of threads; figures must
// not. So the kernels of the Gaussian, whose bits do not depend on it, run on all threads, and what
// sums over their results runs on one.
#pragma once

namespace supn {

// Sets ATen's number of threads for its lifetime.
class ThreadCount {
 public:
  explicit ThreadCount(int threads);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

}  // namespace supn
