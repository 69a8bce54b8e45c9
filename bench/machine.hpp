// The machine a benchmark ran on: what it is, what it can do at best, and how busy it is.
#pragma once

#include <string>

namespace supn::bench {

struct MachineLimits {
  double dram_bytes_per_second = 0;  // the better of reading and of a triad, on all its threads
  double fma_f32_per_second = 0;     // fused multiply-adds, an FMA counted once
  double fma_f64_per_second = 0;
};

// Measured with the given number of threads; about half a second. Each is the best of several
// passes: a limit, not an average.
MachineLimits measure_limits(int threads);

struct Machine {
  std::string cpu;                // model name
  std::string vector_extensions;  // of those that the kernels use
  int cores = 0;                  // that this process may use
};

Machine this_machine();

// Processes that ran or waited for a processor, averaged over the last minute. Above the number of
// threads of the benchmark, others disturb it.
double load_average();

// Makes ATen (and with it OpenMP) use this many threads; restores those before.
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;
  ~ThreadScope();

 private:
  int before_;
};

}  // namespace supn::bench
