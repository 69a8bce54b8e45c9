#include "sample_file.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "supn/errors.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

std::string description(at::ScalarType dtype, at::IntArrayRef shape) {
  std::ostringstream text;
  text << dtype << ' ' << shape;
  return text.str();
}

void check_header(const std::filesystem::path& file,
                  const NpyHeader& header,
                  const SampleShape& expected) {
  const bool is_float =
      header.dtype == at::kHalf || header.dtype == at::kFloat || header.dtype == at::kDouble;
  const bool fits = header.shape.size() == 3 && header.shape[0] > 0 &&
                    (expected.members == 0 || header.shape[0] == expected.members) &&
                    header.shape[1] == expected.size.height &&
                    header.shape[2] == expected.size.width;
  if (is_float && fits) return;
  const std::string members = expected.members == 0 ? "S" : std::to_string(expected.members);
  throw IoError(file,
                "expected members' maps, float16 or float32 [" + members + ", " +
                    std::to_string(expected.size.height) + ", " +
                    std::to_string(expected.size.width) + "], found " +
                    description(header.dtype, header.shape) +
                    "; set data.height and data.width to the maps' size, or remove the file and "
                    "run supn_ensemble again");
}

NpyHeader checked_header(const std::filesystem::path& file, const SampleShape& expected) {
  if (!is_there(file)) {
    throw IoError(file, "there are no members' maps; run supn_ensemble, or check data.samples");
  }
  NpyHeader header = read_npy_header(file);
  check_header(file, header, expected);
  return header;
}

// ATen would start threads of its own in every worker of a loader.
template <class T>
at::Tensor converted(const at::Tensor& values) {
  at::Tensor floats = at::empty(values.sizes(), at::kFloat);
  const T* in = values.const_data_ptr<T>();
  std::transform(in, in + values.numel(), floats.mutable_data_ptr<float>(), [](T value) {
    return static_cast<float>(value);
  });
  return floats;
}

at::Tensor as_floats(const at::Tensor& values) {
  const at::Tensor packed = values.contiguous();
  if (packed.scalar_type() == at::kHalf) return converted<at::Half>(packed);
  if (packed.scalar_type() == at::kDouble) return converted<double>(packed);
  return packed;
}

}  // namespace

at::Tensor read_sample_file(const std::filesystem::path& file, const SampleShape& expected) {
  checked_header(file, expected);
  const at::Tensor maps = as_floats(read_npy(file));
  const float* values = maps.const_data_ptr<float>();
  const auto bad = std::count_if(
      values, values + maps.numel(), [](float value) { return !std::isfinite(value); });
  if (bad > 0) {
    throw IoError(file,
                  "expected finite values, found " + std::to_string(bad) + " of " +
                      std::to_string(maps.numel()) +
                      " that are not; remove the file and run supn_ensemble again, or list the "
                      "member in data.exclude_members and replace it");
  }
  return maps;
}

std::int64_t check_sample_header(const std::filesystem::path& file, const SampleShape& expected) {
  return checked_header(file, expected).shape[0];
}

at::Tensor select_members(const at::Tensor& maps, std::span<const std::int64_t> members) {
  const std::int64_t stored = maps.size(0);
  if (static_cast<std::int64_t>(members.size()) == stored) return maps;
  const std::int64_t pixels = maps.size(1) * maps.size(2);
  at::Tensor selected = at::empty(
      {static_cast<std::int64_t>(members.size()), maps.size(1), maps.size(2)}, at::kFloat);
  const float* in = maps.const_data_ptr<float>();
  float* out = selected.mutable_data_ptr<float>();
  for (const std::int64_t member : members) {
    TORCH_CHECK(member >= 0 && member < stored,
                "select_members: expected a member below ",
                stored,
                ", got ",
                member);
    out = std::copy_n(in + member * pixels, pixels, out);
  }
  return selected;
}

at::Tensor halved_maps(const at::Tensor& maps) {
  TORCH_CHECK(maps.dim() == 3 && maps.scalar_type() == at::kFloat && maps.size(1) % 2 == 0 &&
                  maps.size(2) % 2 == 0,
              "halved_maps: expected float32 [S,h,w] of even height and width, got ",
              maps.scalar_type(),
              " ",
              maps.sizes());
  const std::int64_t width = maps.size(2);
  at::Tensor halved = at::empty({maps.size(0), maps.size(1) / 2, width / 2}, at::kFloat);
  const at::Tensor packed = maps.contiguous();
  const float* upper = packed.const_data_ptr<float>();
  float* out = halved.mutable_data_ptr<float>();
  for (std::int64_t row = 0; row < maps.size(0) * maps.size(1) / 2; ++row, upper += 2 * width) {
    const float* lower = upper + width;
    for (std::int64_t x = 0; x < width; x += 2) {
      *out++ = 0.25F * ((upper[x] + upper[x + 1]) + (lower[x] + lower[x + 1]));
    }
  }
  return halved;
}

}  // namespace supn
