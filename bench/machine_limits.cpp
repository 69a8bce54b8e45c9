// Bandwidth of the main memory and peak of the multiply-add units, by loops that do nothing else.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "machine.hpp"

namespace supn::bench {
namespace {

constexpr std::size_t kWords = std::size_t{1} << 22;  // 32 MiB an array and thread: beyond caches
constexpr int kPasses = 20;  // short ones: on a busy machine some go undisturbed

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Processor time of the calling thread: stands still while another process has the core.
double thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The least time in which all threads did the work, over some passes.
double least_seconds(int threads, const std::function<void(int)>& work) {
  double least = 1e30;
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<std::thread> pool;
    const double start = now();
    for (int t = 0; t < threads; ++t) pool.emplace_back(work, t);
    for (std::thread& thread : pool) thread.join();
    least = std::min(least, now() - start);
  }
  return least;
}

double dram_bandwidth(int threads) {
  const auto count = static_cast<std::size_t>(threads);
  std::vector<std::vector<double>> a(count, std::vector<double>(kWords, 1));
  std::vector<std::vector<double>> b(a);
  std::vector<std::vector<double>> c(a);
  std::vector<double> sums(count);
  const double array_bytes = static_cast<double>(count * kWords * sizeof(double));
  const double read = least_seconds(threads, [&](int t) {
    const auto thread = static_cast<std::size_t>(t);
    double partial[16] = {};
    for (std::size_t i = 0; i < kWords; i += 16) {
      for (std::size_t lane = 0; lane < 16; ++lane) partial[lane] += a[thread][i + lane];
    }
    for (const double value : partial) sums[thread] += value;
  });
  const double triad = least_seconds(threads, [&](int t) {
    const auto thread = static_cast<std::size_t>(t);
    const double* left = b[thread].data();
    const double* right = c[thread].data();
    double* result = a[thread].data();
    for (std::size_t i = 0; i < kWords; ++i) result[i] = left[i] + 0.5 * right[i];
  });
  // A line that is written is read first: four arrays move.
  return std::max(array_bytes / read, 4 * array_bytes / triad);
}

// Independent chains, as many as latency times units need, of whole registers.
template <typename Scalar, int kBytes, int kChains>
__attribute__((always_inline)) inline void multiply_add_chains(std::size_t steps, Scalar* sink) {
  typedef Scalar Register __attribute__((vector_size(kBytes)));
  Register chains[kChains];
  for (int c = 0; c < kChains; ++c) chains[c] = Register{} + static_cast<Scalar>(c);
  const Register factor = Register{} + static_cast<Scalar>(0.999);
  const Register term = Register{} + static_cast<Scalar>(1e-3);
  for (std::size_t i = 0; i < steps; ++i) {
    for (int c = 0; c < kChains; ++c) chains[c] = chains[c] * factor + term;
  }
  for (int c = 0; c < kChains; ++c) *sink += chains[c][0];
}

// Runs `steps` steps and returns the multiply-adds of one step.
template <typename Scalar>
using ChainRun = double (*)(std::size_t steps, Scalar* sink);

#if defined(__x86_64__)
template <typename Scalar>
__attribute__((target("avx512f"))) double run_avx512(std::size_t steps, Scalar* sink) {
  multiply_add_chains<Scalar, 64, 12>(steps, sink);
  return 12 * 64.0 / sizeof(Scalar);
}

template <typename Scalar>
__attribute__((target("avx2,fma"))) double run_avx2(std::size_t steps, Scalar* sink) {
  multiply_add_chains<Scalar, 32, 12>(steps, sink);
  return 12 * 32.0 / sizeof(Scalar);
}
#endif

template <typename Scalar>
double run_portable(std::size_t steps, Scalar* sink) {
  multiply_add_chains<Scalar, 16, 12>(steps, sink);
  return 12 * 16.0 / sizeof(Scalar);
}

template <typename Scalar>
ChainRun<Scalar> widest_run() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return run_avx512<Scalar>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return run_avx2<Scalar>;
#endif
  return run_portable<Scalar>;
}

// All threads at once, as cores may clock lower together; each by its own processor time.
template <typename Scalar>
double fma_peak(int threads) {
  constexpr std::size_t kSteps = 200'000;
  const ChainRun<Scalar> run = widest_run<Scalar>();
  std::vector<double> rates(static_cast<std::size_t>(threads));
  std::vector<Scalar> sinks(rates.size() * 64);  // a cache line each
  std::vector<std::thread> pool;
  for (std::size_t t = 0; t < rates.size(); ++t) {
    pool.emplace_back([&, t] {
      for (int pass = 0; pass < kPasses; ++pass) {
        const double start = thread_time();
        const double per_step = run(kSteps, &sinks[t * 64]);
        const double rate = static_cast<double>(kSteps) * per_step / (thread_time() - start);
        rates[t] = std::max(rates[t], rate);
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace

MachineLimits measure_limits(int threads) {
  return {dram_bandwidth(threads), fma_peak<float>(threads), fma_peak<double>(threads)};
}

}  // namespace supn::bench
