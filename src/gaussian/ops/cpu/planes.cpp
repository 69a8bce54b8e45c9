// The operators of the order from coarse to fine on the CPU: planes::.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "gaussian/huge_pages.hpp"
#include "gaussian/ops/cpu/class_solver.hpp"
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

PlaneLayout layout_of(const FactorMaps& factor) {
  return {factor.neighbourhood, {factor.log_diagonal.size(2), factor.log_diagonal.size(3)}};
}

std::int64_t groups(std::int64_t samples) {
  return (samples + kSamplesTogether - 1) / kSamplesTogether;
}

// run(image, first sample, number of samples, buffers of as many samples) for all samples of
// x [B,S,H,W], a few at a time.
template <typename T, typename Run>
void for_each_group(const PlaneLayout& layout,
                    const at::Tensor& x,
                    std::int64_t buffers,
                    const Run& run) {
  const std::int64_t samples = x.size(1);
  const std::int64_t count = groups(samples);
  at::parallel_for(0, x.size(0) * count, 1, [&](std::int64_t begin, std::int64_t end) {
    const at::Tensor storage = empty_on_huge_pages(
        {buffers * std::min(samples, kSamplesTogether), layout.words()}, x.options());
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i % count * kSamplesTogether;
      run(i / count,
          first,
          std::min(kSamplesTogether, samples - first),
          storage.mutable_data_ptr<T>());
    }
  });
}

enum class Direction { kTranspose, kPlain };

template <typename T>
at::Tensor solved(const FactorMaps& maps, const at::Tensor& rhs) {
  const PlaneLayout layout = layout_of(maps);
  const PlaneFactor<T> factor(layout, maps, T{-1});
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
        for (std::int64_t s = 0; s < count; ++s) {
          write_image(
              layout, cpu::Channel<T>{buffers + s * layout.words()}, out + place + s * pixels);
        }
      });
  return result;
}

// L⁻ᵀ for a task's samples.
template <typename T, typename Task>
auto transpose_solved(const FactorMaps& maps, const Task& task) {
  const PlaneLayout layout = layout_of(maps);
  const PlaneFactor<T> factor(layout, maps, T{-1});
  const std::int64_t samples = task.values().size(1);
  constexpr std::int64_t kTogether = cpu::ClassSolver<T>::kMostSamples;
  const std::int64_t count = (samples + kTogether - 1) / kTogether;
  const std::int64_t groups = task.values().size(0) * count;
  at::parallel_for(0, groups, 1, [&](std::int64_t begin, std::int64_t end) {
    cpu::ClassSolver<T> solver(factor, samples);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t image = i / count;
      const std::int64_t first = i % count * kTogether;
      solver.solve(image,
                   task.rhs(image, first),
                   task.sink(image, first),
                   std::min(kTogether, samples - first));
    }
  });
  return task.result();
}

template <typename T>
void multiply_transpose(
    const PlaneFactor<T>& factor, std::int64_t b, const T* x, T* products, std::int64_t samples) {
  cpu::TransposeProduct<T> product(factor, b, x, products, samples);
  for (const PlaneLevel& level : factor.layout().levels()) {
    for (const Plane& plane : level.classes) {
      for (std::int64_t i = 0; i < plane.rows; ++i) product.row(level, plane, i);
    }
  }
  product.coarsest();
}

template <typename T>
at::Tensor multiplied(const FactorMaps& maps, const at::Tensor& field, Direction direction) {
  const PlaneLayout layout = layout_of(maps);
  const PlaneFactor<T> factor(layout, maps, T{1});
  const at::Tensor x = field.contiguous();
  at::Tensor result = empty_on_huge_pages(x.sizes(), x.options());
  const std::int64_t pixels = x.size(2) * x.size(3);
  const T* in = x.const_data_ptr<T>();
  T* out = result.mutable_data_ptr<T>();
  for_each_group<T>(
      layout, x, 2, [&](std::int64_t image, std::int64_t first, std::int64_t count, T* buffers) {
        const std::int64_t place = (image * x.size(1) + first) * pixels;
        T* products = buffers + count * layout.words();
        for (std::int64_t s = 0; s < count; ++s) {
          read_image(
              layout, in + place + s * pixels, cpu::Channel<T>{buffers + s * layout.words()});
        }
        if (direction == Direction::kTranspose) {
          multiply_transpose(factor, image, buffers, products, count);
        } else {
          cpu::multiply_in_planes(factor, image, buffers, products, count);
        }
        for (std::int64_t s = 0; s < count; ++s) {
          write_image(
              layout, cpu::Channel<T>{products + s * layout.words()}, out + place + s * pixels);
        }
      });
  return result;
}

template <typename T>
at::Tensor swept(const FactorMaps& maps, const at::Tensor& rhs, std::int64_t sweeps) {
  const PlaneLayout layout = layout_of(maps);
  const PlaneFactor<T> factor(layout, maps, T{-1});
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
  return AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "factor_times", [&] {
    return multiplied<scalar_t>(factor, x, Direction::kPlain);
  });
}

at::Tensor factor_transpose_times(const FactorMaps& factor, const at::Tensor& x) {
  return AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "factor_transpose_times", [&] {
    return multiplied<scalar_t>(factor, x, Direction::kTranspose);
  });
}

at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b) {
  return AT_DISPATCH_FLOATING_TYPES(
      b.scalar_type(), "solve_factor", [&] { return solved<scalar_t>(factor, b); });
}

at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b) {
  return AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "solve_factor_transpose", [&] {
    return transpose_solved<scalar_t>(factor, cpu::SolveTask<scalar_t>(b));
  });
}

cpu::ExactSamples sample_exactly(const FactorMaps& factor,
                                 const at::Tensor& mean,
                                 std::span<const std::uint64_t> seeds,
                                 const SampleRange& range) {
  return AT_DISPATCH_FLOATING_TYPES(mean.scalar_type(), "sample_exactly", [&] {
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
