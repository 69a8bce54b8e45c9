// Time of the solves and of the likelihood at 640x192, r = 2: per call, one thread unless the name
// says otherwise. Arguments: samples, threads.
//
//   solve_benchmark --benchmark_filter=Exact
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

constexpr ImageSize kSize{192, 640};

at::Tensor uniform_map(std::int64_t channels, double low, double high) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(channels));
  std::uniform_real_distribution<float> uniform(static_cast<float>(low), static_cast<float>(high));
  at::Tensor map =
      at::empty({1, channels, kSize.height, kSize.width}, at::TensorOptions().dtype(at::kFloat));
  float* data = map.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < map.numel(); ++i) data[i] = uniform(engine);
  return map;
}

// Weights of the recursion that sum to less than one half.
StructuredGaussian benchmark_gaussian() {
  return {uniform_map(1, -1, 1),
          uniform_map(1, -0.2, 0.2),
          uniform_map(12, -0.03, 0.03),
          Neighbourhood(2)};
}

at::Tensor noise(std::int64_t samples) {
  const std::vector<std::uint64_t> seeds{1};
  return standard_normal(seeds, {0, samples}, kSize, at::TensorOptions().dtype(at::kFloat));
}

void set_arguments(const benchmark::State& state) {
  at::set_num_threads(static_cast<int>(state.range(1)));
}

void report_per_sample(benchmark::State& state) {
  state.counters["ms_per_sample"] = benchmark::Counter(
      1e-3 * static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void ExactTransposeSolve(benchmark::State& state) {
  set_arguments(state);
  const StructuredGaussian gaussian = benchmark_gaussian();
  const at::Tensor b = noise(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(solve_factor_transpose(gaussian, b));
  report_per_sample(state);
}
BENCHMARK(ExactTransposeSolve)
    ->Args({1, 1})
    ->Args({40, 1})
    ->Args({40, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void ExactSolve(benchmark::State& state) {
  set_arguments(state);
  const StructuredGaussian gaussian = benchmark_gaussian();
  const at::Tensor b = noise(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(solve_factor(gaussian, b));
  report_per_sample(state);
}
BENCHMARK(ExactSolve)->Args({1, 1})->UseRealTime()->Unit(benchmark::kMillisecond);

void Jacobi1000Sweeps(benchmark::State& state) {
  set_arguments(state);
  const StructuredGaussian gaussian = benchmark_gaussian();
  const at::Tensor b = noise(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(jacobi_solve_factor_transpose(gaussian, b, 1000));
  }
  report_per_sample(state);
}
BENCHMARK(Jacobi1000Sweeps)
    ->Args({1, 1})
    ->Args({1, 2})
    ->UseRealTime()
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

void Noise(benchmark::State& state) {
  set_arguments(state);
  for (auto _ : state) benchmark::DoNotOptimize(noise(state.range(0)));
  report_per_sample(state);
}
BENCHMARK(Noise)->Args({1, 1})->Args({40, 2})->UseRealTime()->Unit(benchmark::kMillisecond);

void ExactSamplesWithReport(benchmark::State& state) {
  set_arguments(state);
  const StructuredGaussian gaussian = benchmark_gaussian();
  const std::vector<std::uint64_t> seeds{1};
  const SampleOptions options{.range = {0, state.range(0)}};
  for (auto _ : state) benchmark::DoNotOptimize(sample(gaussian, seeds, options));
  report_per_sample(state);
}
BENCHMARK(ExactSamplesWithReport)
    ->Args({1, 1})
    ->Args({40, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void Whiten(benchmark::State& state) {
  set_arguments(state);
  const StructuredGaussian gaussian = benchmark_gaussian();
  const at::Tensor d = noise(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(whiten(gaussian, d));
  report_per_sample(state);
}
BENCHMARK(Whiten)->Args({1, 1})->Args({8, 2})->UseRealTime()->Unit(benchmark::kMillisecond);

void LogProb(benchmark::State& state) {
  set_arguments(state);
  const StructuredGaussian gaussian = benchmark_gaussian();
  const at::Tensor d = noise(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(log_prob(gaussian, d));
  report_per_sample(state);
}
BENCHMARK(LogProb)->Args({1, 1})->Args({8, 1})->Args({8, 2})->UseRealTime()->Unit(
    benchmark::kMillisecond);

void LogProbForwardBackward(benchmark::State& state) {
  set_arguments(state);
  const StructuredGaussian gaussian = benchmark_gaussian();
  for (const at::Tensor& map :
       {gaussian.mean(), gaussian.log_diagonal(), gaussian.off_diagonal()}) {
    map.requires_grad_();
  }
  const at::Tensor d = noise(state.range(0));
  for (auto _ : state) log_prob(gaussian, d).mean().backward();
  report_per_sample(state);
}
BENCHMARK(LogProbForwardBackward)
    ->Args({8, 1})
    ->Args({8, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace supn
