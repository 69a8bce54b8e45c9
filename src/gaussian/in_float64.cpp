#include "gaussian/in_float64.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>

namespace supn {

StructuredGaussian in_float64(const StructuredGaussian& gaussian) {
  const auto exact = [](const at::Tensor& map) {
    return map.detach().to(at::kDouble).contiguous();
  };
  return {exact(gaussian.mean()),
          exact(gaussian.log_diagonal()),
          exact(gaussian.off_diagonal()),
          gaussian.neighbourhood()};
}

StructuredGaussian in_float64_on_cpu(const StructuredGaussian& gaussian) {
  return in_float64(gaussian.detach().to(at::Device(at::kCPU)));
}

std::vector<std::int64_t> checked_pixels(const char* function,
                                         const at::Tensor& pixels,
                                         const ImageSize& size) {
  TORCH_CHECK(pixels.defined() && pixels.dim() == 1 && pixels.scalar_type() == at::kLong,
              function,
              ": pixels must be int64 [M] of raster indices y·W + x, got ",
              pixels.defined() ? pixels.sizes() : at::IntArrayRef(),
              " of ",
              pixels.defined() ? toString(pixels.scalar_type()) : "no dtype");
  const at::Tensor contiguous = pixels.to(at::kCPU).contiguous();
  const std::int64_t* data = contiguous.const_data_ptr<std::int64_t>();
  std::vector<std::int64_t> indices(data, data + contiguous.numel());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    TORCH_CHECK(indices[i] >= 0 && indices[i] < size.height * size.width,
                function,
                ": pixel ",
                i,
                " has the raster index ",
                indices[i],
                ", which is outside the image of ",
                size.height,
                " × ",
                size.width,
                " pixels");
  }
  return indices;
}

at::Tensor pixel_tensor(const std::vector<std::int64_t>& pixels, const at::Device& device) {
  at::Tensor tensor =
      at::empty({static_cast<std::int64_t>(pixels.size())}, at::TensorOptions().dtype(at::kLong));
  std::copy(pixels.begin(), pixels.end(), tensor.mutable_data_ptr<std::int64_t>());
  return tensor.to(device);
}

void check_one_image(const char* function, const StructuredGaussian& gaussian) {
  TORCH_CHECK(gaussian.batch() == 1,
              function,
              ": takes one image at a time, got a batch of ",
              gaussian.batch(),
              "; use image(b)");
}

}  // namespace supn
