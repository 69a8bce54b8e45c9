// The operators of the order from coarse to fine on the CPU: planes::.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <memory>

#include "gaussian/huge_pages.hpp"
#include "gaussian/ops/cpu/class_solver.hpp"
#include "gaussian/ops/cpu/plane_products.hpp"
#include "gaussian/ops/cpu/plane_solver.hpp"
#include "gaussian/ops/cpu/solve_tasks.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::planes {
namespace {

using cpu::Plane;
using cpu::PlaneFactor;
using cpu::PlaneLayout;
using cpu::PlaneLevel;

// Fields in planes that are worked on at once.
constexpr std::int64_t kSamplesTogether = 8;

// Returns how many samples of an image go together: fewer than `most` where threads stood idle, but
// no fewer than `fewest`.
std::int64_t group_size(const at::Tensor& x, std::int64_t fewest, std::int64_t most) {
  const std::int64_t threads = at::get_num_threads();
  return std::clamp((x.size(0) * x.size(1) + threads - 1) / threads, fewest, most);
}

std::shared_ptr<const PlaneLayout> layout_of(const FactorMaps& factor) {
  return cpu::shared_layout(factor.neighbourhood,
                            {factor.log_diagonal.size(2), factor.log_diagonal.size(3)});
}

// run(image, first sample, number of samples, buffers of as many samples) for all samples of
// x [B,S,H,W], a few at a time.
template <typename T, typename Run>
void for_each_group(const PlaneLayout& layout,
                    const at::Tensor& x,
                    std::int64_t buffers,
                    const Run& run) {
  const std::int64_t samples = x.size(1);
  const std::int64_t together = std::min(samples, group_size(x, 1, kSamplesTogether));
  const std::int64_t count = (samples + together - 1) / together;
  at::parallel_for(0, x.size(0) * count, 1, [&](std::int64_t begin, std::int64_t end) {
    const LargeBuffer storage = LargeBuffer::of<T>(buffers * together * layout.words());
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i % count * together;
      run(i / count, first, std::min(together, samples - first), storage.as<T>());
    }
  });
}

enum class Solution { kForward, kForwardAndBack };

// L⁻¹b, or L⁻ᵀL⁻¹b.
template <typename T>
at::Tensor solved(const FactorMaps& maps, const at::Tensor& rhs, Solution solution) {
  const auto shared = layout_of(maps);
  const PlaneLayout& layout = *shared;
  const PlaneFactor<T> factor(layout, maps, PlaneFactor<T>::Use::kBoth);
  const at::Tensor b = rhs.contiguous();
  at::Tensor result = empty_on_huge_pages(b.sizes(), b.options());
  const std::int64_t pixels = b.size(2) * b.size(3);
  const T* in = b.const_data_ptr<T>();
  T* out = result.mutable_data_ptr<T>();
  for_each_group<T>(
      layout, b, 1, [&](std::int64_t image, std::int64_t first, std::int64_t count, T* buffers) {
        const std::int64_t place = (image * b.size(1) + first) * pixels;
        for (std::int64_t s = 0; s < count; ++s) {
          read_image(
              layout, in + place + s * pixels, cpu::Channel<T>{buffers + s * layout.words()});
        }
        cpu::solve_in_planes(factor, image, buffers, count);
        if (solution == Solution::kForwardAndBack) {
          cpu::solve_transpose_in_planes(factor, image, buffers, count);
        }
        for (std::int64_t s = 0; s < count; ++s) {
          write_image(
              layout, cpu::Channel<T>{buffers + s * layout.words()}, out + place + s * pixels);
        }
      });
  return result;
}

// L⁻ᵀ for a task's samples.
template <typename T, typename Task>
auto transpose_solved(const PlaneFactor<T>& factor, const Task& task) {
  using Solver = cpu::ClassSolver<T>;
  const at::Tensor& values = task.values();
  const std::int64_t samples = values.size(1);
  const std::int64_t together = group_size(values, Solver::kFewestInLanes, Solver::kMostSamples);
  const std::int64_t count = (samples + together - 1) / together;
  at::parallel_for(0, values.size(0) * count, 1, [&](std::int64_t begin, std::int64_t end) {
    Solver solver(factor, std::min(together, samples));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t image = i / count;
      const std::int64_t first = i % count * together;
      solver.solve(image,
                   task.rhs(image, first),
                   task.sink(image, first),
                   std::min(together, samples - first));
    }
  });
  return task.result();
}

// run(image, x in planes, its first sample's place in x) for the samples of a few at a time.
template <typename T, typename Run>
void for_each_read(const PlaneLayout& layout, const at::Tensor& field, const Run& run) {
  const at::Tensor x = field.contiguous();
  const std::int64_t samples = x.size(1);
  const std::int64_t pixels = x.size(2) * x.size(3);
  std::int64_t count = 0;
  for (std::int64_t first = 0; first < x.size(0) * samples; first += count) {
    const std::int64_t image = first / samples;
    count = std::min(kSamplesTogether, (image + 1) * samples - first);
    cpu::Buffers<T> planes(layout, count);
    planes.read(x.const_data_ptr<T>() + first * pixels, nullptr);
    run(image, planes, first * pixels);
  }
}

template <typename T>
at::Tensor multiplied(const FactorMaps& factor, const at::Tensor& x) {
  const auto shared = layout_of(factor);
  const PlaneLayout& layout = *shared;
  const FactorMaps maps = cpu::contiguous(factor);
  at::Tensor result = empty_on_huge_pages(x.sizes(), x.options());
  T* out = result.mutable_data_ptr<T>();
  for_each_read<T>(
      layout, x, [&](std::int64_t image, const cpu::Buffers<T>& planes, std::int64_t place) {
        cpu::Buffers<T> products(layout, planes.count());
        cpu::multiply_in_planes(maps, image, planes, products);
        products.write(out + place, nullptr);
      });
  return result;
}

template <typename T>
at::Tensor transpose_multiplied(const FactorMaps& factor, const at::Tensor& x) {
  const auto shared = layout_of(factor);
  const PlaneLayout& layout = *shared;
  const FactorMaps maps = cpu::contiguous(factor);
  at::Tensor result = empty_on_huge_pages(x.sizes(), x.options());
  const std::int64_t height = layout.size().height;
  const std::int64_t width = layout.size().width;
  T* out = result.mutable_data_ptr<T>();
  const auto multiply = [&](std::int64_t image, const cpu::Buffers<T>& planes, std::int64_t place) {
    at::parallel_for(0, height, cpu::kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
      cpu::ProductRow<T> product(maps, planes);
      for (std::int64_t y = begin; y < end; ++y) {
        product.take(image, y, [](const Plane&, const T*, std::int64_t) {});
        for (std::int64_t s = 0; s < planes.count(); ++s) {
          product.write(y, s, out + place + (s * height + y) * width);
        }
      }
    });
  };
  for_each_read<T>(layout, x, multiply);
  return result;
}

template <typename T>
at::Tensor swept(const FactorMaps& maps, const at::Tensor& rhs, std::int64_t sweeps) {
  const auto shared = layout_of(maps);
  const PlaneLayout& layout = *shared;
  const PlaneFactor<T> factor(layout, maps, PlaneFactor<T>::Use::kTranspose);
  const at::Tensor b = rhs.contiguous();
  at::Tensor result = at::empty_like(b);
  const std::int64_t pixels = b.size(2) * b.size(3);
  const T* in = b.const_data_ptr<T>();
  T* out = result.mutable_data_ptr<T>();
  for_each_group<T>(
      layout, b, 3, [&](std::int64_t image, std::int64_t first, std::int64_t count, T* buffers) {
        const std::int64_t place = (image * b.size(1) + first) * pixels;
        const std::int64_t group = count * layout.words();
        std::fill_n(buffers + group, 2 * group, T{0});
        for (std::int64_t s = 0; s < count; ++s) {
          read_image(
              layout, in + place + s * pixels, cpu::Channel<T>{buffers + s * layout.words()});
        }
        T* old = buffers + group;
        T* next = old + group;
        for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
          cpu::sweep_in_planes(factor, image, {buffers, old, next}, count);
          std::swap(old, next);
        }
        for (std::int64_t s = 0; s < count; ++s) {
          write_image(layout, cpu::Channel<T>{old + s * layout.words()}, out + place + s * pixels);
        }
      });
  return result;
}

}  // namespace

at::Tensor factor_times(const FactorMaps& factor, const at::Tensor& x) {
  return AT_DISPATCH_FLOATING_TYPES(
      x.scalar_type(), "factor_times", [&] { return multiplied<scalar_t>(factor, x); });
}

at::Tensor factor_transpose_times(const FactorMaps& factor, const at::Tensor& x) {
  return AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "factor_transpose_times", [&] {
    return transpose_multiplied<scalar_t>(factor, x);
  });
}

at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b) {
  return AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "solve_factor", [&] {
    return solved<scalar_t>(factor, b, Solution::kForward);
  });
}

at::Tensor covariance_times(const FactorMaps& factor, const at::Tensor& x) {
  return AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "covariance_times", [&] {
    return solved<scalar_t>(factor, x, Solution::kForwardAndBack);
  });
}

TransposeSolver transpose_solver(const FactorMaps& maps) {
  return AT_DISPATCH_FLOATING_TYPES(
      maps.log_diagonal.scalar_type(), "transpose_solver", [&]() -> TransposeSolver {
        using Factor = PlaneFactor<scalar_t>;
        const auto layout = layout_of(maps);
        const auto factor = std::make_shared<const Factor>(*layout, maps, Factor::Use::kTranspose);
        return [layout, factor](const at::Tensor& b) {
          return transpose_solved<scalar_t>(*factor, cpu::SolveTask<scalar_t>(b));
        };
      });
}

at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b) {
  return transpose_solver(factor)(b);
}

cpu::ExactSamples sample_exactly(const FactorMaps& maps,
                                 const at::Tensor& mean,
                                 std::span<const std::uint64_t> seeds,
                                 const SampleRange& range) {
  return AT_DISPATCH_FLOATING_TYPES(mean.scalar_type(), "sample_exactly", [&] {
    const auto shared = layout_of(maps);
    const PlaneLayout& layout = *shared;
    using Factor = PlaneFactor<scalar_t>;
    const Factor factor(layout, maps, Factor::Use::kTranspose);
    return transpose_solved<scalar_t>(factor, cpu::SampleTask<scalar_t>(mean, seeds, range));
  });
}

at::Tensor jacobi_solve_factor_transpose(const FactorMaps& factor,
                                         const at::Tensor& b,
                                         std::int64_t sweeps) {
  return AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "jacobi_solve_factor_transpose", [&] {
    return swept<scalar_t>(factor, b, sweeps);
  });
}

}  // namespace supn::planes
