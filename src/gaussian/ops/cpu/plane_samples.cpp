// Samples in the order from coarse to fine on the CPU: each group of samples draws its noise, solves
// it and checks it in planes that stay in the cache.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <span>
#include <vector>

#include "gaussian/huge_pages.hpp"
#include "gaussian/kernels/normals.hpp"
#include "gaussian/kernels/rows.hpp"
#include "gaussian/ops/cpu/plane_solver.hpp"
#include "gaussian/ops/cpu/substitution.hpp"

namespace supn::planes {
namespace {

using cpu::Channel;
using cpu::PlaneFactor;
using cpu::PlaneLayout;

// Where the results of a group of samples go.
template <typename T>
struct Results {
  T* values;  // [S,H,W]
  double* residual_squares;
  double* noise_squares;
};

template <typename T>
class GroupSampler {
 public:
  GroupSampler(const PlaneFactor<T>& factor, const at::TensorOptions& options)
      : factor_(factor),
        layout_(factor.layout()),
        image_(static_cast<std::size_t>(layout_.size().height * layout_.size().width)),
        storage_(empty_on_huge_pages({cpu::kSamplesTogether, layout_.words()}, options)) {}

  // Samples stream.sample, stream.sample + 1, … of image b.
  void draw(std::int64_t b,
            NoiseStream stream,
            std::int64_t samples,
            const T* mean,
            const Results<T>& results) {
    T* solutions = storage_.mutable_data_ptr<T>();
    for (std::int64_t s = 0; s < samples; ++s, ++stream.sample) {
      fill_standard_normal(image_.data(), stream, pixels());
      results.noise_squares[s] = row::sum_of_squares<T>(image_.data(), pixels());
      read_image(layout_, image_.data(), Channel<T>{solutions + s * layout_.words()});
    }
    cpu::solve_transpose_in_planes(factor_, b, solutions, samples, results.residual_squares);
    for (std::int64_t s = 0; s < samples; ++s) {
      T* sample = results.values + s * pixels();
      write_image(layout_, Channel<T>{solutions + s * layout_.words()}, sample);
      for (std::int64_t n = 0; n < pixels(); ++n) sample[n] += mean[n];
    }
  }

 private:
  std::int64_t pixels() const { return static_cast<std::int64_t>(image_.size()); }

  const PlaneFactor<T>& factor_;
  const PlaneLayout& layout_;
  std::vector<T> image_;
  at::Tensor storage_;
};

template <typename T>
cpu::ExactSamples sampled(const FactorMaps& maps,
                          const at::Tensor& mean_map,
                          std::span<const std::uint64_t> seeds,
                          const SampleRange& range) {
  const at::Tensor mean = mean_map.contiguous();
  const PlaneLayout layout(maps.neighbourhood, {mean.size(2), mean.size(3)});
  const PlaneFactor<T> factor(layout, maps, T{-1});
  const std::int64_t pixels = mean.size(2) * mean.size(3);
  const auto f64 = mean.options().dtype(at::kDouble);
  cpu::ExactSamples result{
      empty_on_huge_pages({mean.size(0), range.count, mean.size(2), mean.size(3)}, mean.options()),
      at::empty({mean.size(0), range.count}, f64),
      at::empty({mean.size(0), range.count}, f64)};
  T* values = result.values.mutable_data_ptr<T>();
  double* residuals = result.residual_squares.mutable_data_ptr<double>();
  double* noises = result.noise_squares.mutable_data_ptr<double>();
  const T* means = mean.const_data_ptr<T>();
  const std::int64_t groups = (range.count + cpu::kSamplesTogether - 1) / cpu::kSamplesTogether;
  at::parallel_for(0, mean.size(0) * groups, 1, [&](std::int64_t begin, std::int64_t end) {
    GroupSampler<T> sampler(factor, mean.options());
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / groups;
      const std::int64_t first = i % groups * cpu::kSamplesTogether;
      const std::int64_t place = b * range.count + first;
      sampler.draw(
          b,
          {seeds[static_cast<std::size_t>(b)], static_cast<std::uint64_t>(range.first + first), 0},
          std::min(cpu::kSamplesTogether, range.count - first),
          means + b * pixels,
          {values + place * pixels, residuals + place, noises + place});
    }
  });
  return result;
}

}  // namespace

cpu::ExactSamples sample_exactly(const FactorMaps& factor,
                                 const at::Tensor& mean,
                                 std::span<const std::uint64_t> seeds,
                                 const SampleRange& range) {
  return AT_DISPATCH_FLOATING_TYPES(mean.scalar_type(), "sample_exactly", [&] {
    return sampled<scalar_t>(factor, mean, seeds, range);
  });
}

}  // namespace supn::planes
