#include "supn/gaussian/noise.hpp"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <algorithm>

#include "gaussian/argument_checks.hpp"
#include "gaussian/huge_pages.hpp"
#include "gaussian/kernels/normals.hpp"
#include "gaussian/ops/normals.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn {
namespace {

constexpr std::int64_t kPart = 8192;  // pixels of one piece of work, a multiple of 4

template <typename T>
void fill(at::Tensor& noise, std::span<const std::uint64_t> seeds, const SampleRange& range) {
  const std::int64_t pixels = noise.size(2) * noise.size(3);
  const std::int64_t parts = (pixels + kPart - 1) / kPart;
  T* out = noise.mutable_data_ptr<T>();
  const std::int64_t total = noise.size(0) * range.count * parts;
  at::parallel_for(0, total, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t sample = i / parts;
      const std::int64_t first = i % parts * kPart;
      const NoiseStream stream{seeds[static_cast<std::size_t>(sample / range.count)],
                               static_cast<std::uint64_t>(range.first + sample % range.count),
                               static_cast<std::uint64_t>(first / 4)};
      fill_standard_normal(out + sample * pixels + first, stream, std::min(kPart, pixels - first));
    }
  });
}

}  // namespace

at::Tensor standard_normal(std::span<const std::uint64_t> seeds,
                           const SampleRange& range,
                           const ImageSize& size,
                           const at::TensorOptions& options) {
  TORCH_CHECK(!seeds.empty(), "standard_normal: one seed per image is needed, got none");
  check_range("standard_normal", range);
  TORCH_CHECK(size.height > 0 && size.width > 0,
              "standard_normal: height and width must be positive, got ",
              size.height,
              "x",
              size.width);
  const at::ScalarType dtype = c10::typeMetaToScalarType(options.dtype());
  TORCH_CHECK(dtype == at::kFloat || dtype == at::kDouble,
              "standard_normal: the dtype must be float32 or float64, got ",
              dtype);
  if (!device::has_kernels(options.device())) {
    return composite::standard_normal(seeds, range, size, options);
  }
  at::Tensor noise = empty_on_huge_pages(
      {static_cast<std::int64_t>(seeds.size()), range.count, size.height, size.width},
      at::TensorOptions().dtype(dtype));
  AT_DISPATCH_FLOATING_TYPES(
      dtype, "standard_normal", [&] { fill<scalar_t>(noise, seeds, range); });
  return noise;
}

std::uint64_t image_seed(std::uint64_t run_seed, std::string_view image_id) {
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  for (const char c : image_id) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  }
  // splitmix64's finaliser: one changed bit of either changes half of the result's.
  std::uint64_t z = hash + (run_seed + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace supn
