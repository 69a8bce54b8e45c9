#include "torch_script_methods.hpp"

#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace supn {
namespace {

// A trace would pad other sizes, and give maps of another size than the image, without a word.
constexpr const char* kGaussian = R"script(
def gaussian(self, image: Tensor):
  assert image.dim() == 4 and image.size(1) == 3, "an image is [B,3,H,W]"
  height, width, m = image.size(2), image.size(3), self.multiple
  if self.height == 0:
    assert height % m == 0 and width % m == 0 and height >= 2 * m and width >= 2 * m, (
        "height and width must be multiples of {}, at least {}: resize the image, or take cropped(image)".format(m, 2 * m))
  else:
    assert height == self.height and width == self.width, (
        "height and width must be {} and {}: resize the image, or take cropped(image)".format(self.height, self.width))
  assert image.is_floating_point() and float(image.min()) >= 0.0 and float(image.max()) <= 1.0, (
      "RGB must be floating point in [0, 1]: divide 0..255 by 255")
  return self.maps(image)

def forward(self, image: Tensor):
  return self.gaussian(image)

def cropped(self, image: Tensor):
  m = self.multiple
  height = self.height if self.height > 0 else image.size(2) // m * m
  width = self.width if self.height > 0 else image.size(3) // m * m
  top, left = (image.size(2) - height) // 2, (image.size(3) - width) // 2
  assert top >= 0 and left >= 0, "the image is smaller than {} x {}: resize it".format(width, height)
  return image[:, :, top:top + height, left:left + width]
)script";

// classes: [row, column, stride, dy, dx, dy, dx, …] of every class of pixels; reach: the largest
// |dy| or |dx|. Beyond the image there are zeros.
constexpr const char* kDensity = R"script(
def neighbours(self, padded: Tensor, c: List[int], k: int, height: int, width: int):
  top, left = self.reach + c[0] + c[3 + 2 * k], self.reach + c[1] + c[4 + 2 * k]
  return padded[:, :, top:top + height - c[0]:c[2], left:left + width - c[1]:c[2]]

def whiten(self, x: Tensor, log_diagonal: Tensor, off_diagonal: Tensor):
  reach = self.reach
  padded = torch.constant_pad_nd(x, [reach, reach, reach, reach], 0.0)
  z = log_diagonal.exp() * x
  for c in self.classes:
    values = z[:, :, c[0]::c[2], c[1]::c[2]]
    for k in range((len(c) - 3) // 2):
      psi = off_diagonal[:, k:k + 1, c[0]::c[2], c[1]::c[2]]
      values = torch.addcmul(values, psi, self.neighbours(padded, c, k, x.size(2), x.size(3)))
    z[:, :, c[0]::c[2], c[1]::c[2]] = values
  return z

def log_prob(self, image: Tensor, d: Tensor):
  mean, log_diagonal, off_diagonal = self.gaussian(image)
  z = self.whiten(d - mean, log_diagonal, off_diagonal).double()
  half_log_two_pi = 0.9189385332046727
  sums = (log_diagonal.double() - half_log_two_pi).sum([2, 3]) - 0.5 * z.square().sum([2, 3])
  return sums.to(d.dtype)
)script";

// noise: Philox4x32-10 and Box-Muller (gaussian/noise.hpp). A product of 32 bits by 32 is taken in
// halves, which fit into the signed 64 bits of a tensor. TorchScript reads hexadecimal E as an
// exponent.
constexpr const char* kSamples = R"script(
def high(self, m: int, c: Tensor):
  return (m * (c >> 16) + (m * (c & 65535) >> 16)) >> 16

def low(self, m: int, c: Tensor):
  return (((m * (c >> 16) & 65535) << 16) + m * (c & 65535)) & 4294967295

def normals(self, a: Tensor, b: Tensor):
  radius = (-2.0 * ((a.double() + 0.5) / 4294967296.0).log()).sqrt()
  angle = b.double() * (6.283185307179586 / 4294967296.0)
  return torch.stack([radius * angle.cos(), radius * angle.sin()], -1)

def noise(self, seeds: List[int], count: int, height: int, width: int):
  blocks = (height * width + 3) // 4
  images: List[Tensor] = []
  for seed in seeds:
    c0 = torch.arange(blocks).repeat(count, 1)
    c2 = torch.arange(count).unsqueeze(1).repeat(1, blocks)
    c1, c3 = torch.zeros_like(c0), torch.zeros_like(c0)
    k0, k1 = seed & 4294967295, (seed >> 32) & 4294967295
    for round in range(10):
      h0, h1 = self.high(3528531795, c0), self.high(3449720151, c2)
      l0, l1 = self.low(3528531795, c0), self.low(3449720151, c2)
      c0, c1, c2, c3 = h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0
      k0, k1 = (k0 + 2654435769) & 4294967295, (k1 + 3144134277) & 4294967295
    four = torch.cat([self.normals(c0, c1), self.normals(c2, c3)], -1)
    images.append(four.flatten(1)[:, :height * width].reshape(count, height, width))
  return torch.stack(images)

def colour(self, noise: Tensor, log_diagonal: Tensor, off_diagonal: Tensor):
  reach, height, width = self.reach, noise.size(2), noise.size(3)
  s = torch.constant_pad_nd(torch.zeros_like(noise), [reach, reach, reach, reach], 0.0)
  inverse = (-log_diagonal).exp()
  grid = self.classes[0]
  for y in range((height - grid[0] - 1) // grid[2] * grid[2] + grid[0], -1, -grid[2]):
    for x in range((width - grid[1] - 1) // grid[2] * grid[2] + grid[1], -1, -grid[2]):
      value = noise[:, :, y, x]
      for k in range((len(grid) - 3) // 2):
        value = value - off_diagonal[:, k:k + 1, y, x] * s[:, :, reach + y + grid[3 + 2 * k], reach + x + grid[4 + 2 * k]]
      s[:, :, reach + y, reach + x] = value * inverse[:, :, y, x]
  for c in self.classes[1:]:
    values = noise[:, :, c[0]::c[2], c[1]::c[2]]
    for k in range((len(c) - 3) // 2):
      psi = off_diagonal[:, k:k + 1, c[0]::c[2], c[1]::c[2]]
      values = torch.addcmul(values, psi, self.neighbours(s, c, k, height, width), value=-1.0)
    s[:, :, reach + c[0]:reach + height:c[2], reach + c[1]:reach + width:c[2]] = values * inverse[:, :, c[0]::c[2], c[1]::c[2]]
  return s[:, :, reach:reach + height, reach:reach + width]

def sample(self, image: Tensor, count: int, seeds: List[int]):
  assert count > 0 and len(seeds) == image.size(0), "samples are at least one, with one seed for each image"
  mean, log_diagonal, off_diagonal = self.gaussian(image)
  noise = self.noise(seeds, count, mean.size(2), mean.size(3)).to(mean)
  return mean + self.colour(noise, log_diagonal, off_diagonal)
)script";

using Numbers = c10::List<std::int64_t>;

Numbers numbers_of(const PixelClass& pixels) {
  Numbers numbers;
  for (const std::int64_t number : {pixels.row, pixels.column, pixels.stride}) {
    numbers.push_back(number);
  }
  for (const Offset& offset : pixels.offsets) {
    numbers.push_back(offset.dy);
    numbers.push_back(offset.dx);
  }
  return numbers;
}

std::int64_t reach_of(const std::vector<PixelClass>& classes) {
  std::int64_t reach = 0;
  for (const PixelClass& pixels : classes) {
    for (const Offset& offset : pixels.offsets) {
      reach = std::max({reach, std::abs(offset.dy), std::abs(offset.dx)});
    }
  }
  return reach;
}

}  // namespace

void define_methods(torch::jit::Module& module,
                    const Neighbourhood& neighbourhood,
                    const ImageSize& size,
                    std::int64_t multiple) {
  const std::vector<PixelClass> classes = neighbourhood.classes(size);
  c10::List<Numbers> numbers;
  for (const PixelClass& pixels : classes) numbers.push_back(numbers_of(pixels));
  const bool is_free = neighbourhood.is_raster();
  const auto integer = [&](const char* name, std::int64_t value) {
    module.register_attribute(name, c10::IntType::get(), value);
  };
  module.register_attribute(
      "classes", c10::ListType::create(c10::ListType::ofInts()), c10::IValue(numbers));
  integer("reach", reach_of(classes));
  integer("multiple", multiple);
  integer("height", is_free ? 0 : size.height);
  integer("width", is_free ? 0 : size.width);
  module.define(kGaussian);
  module.define(kDensity);
  if (!is_free) module.define(kSamples);
}

}  // namespace supn
