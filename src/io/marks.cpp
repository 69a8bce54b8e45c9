#include "supn/io/marks.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace supn {
namespace {

constexpr std::int64_t kRingRadius = 6;

void check_picture(const at::Tensor& rgb, const char* function) {
  TORCH_CHECK(rgb.dim() == 3 && rgb.size(2) == 3 && rgb.scalar_type() == at::kByte,
              function,
              ": expected a picture uint8 [H,W,3], got ",
              rgb.scalar_type(),
              " ",
              rgb.sizes());
}

std::int64_t checked_pixel(std::int64_t pixel, const at::Tensor& rgb, const char* function) {
  TORCH_CHECK(pixel >= 0 && pixel < rgb.size(0) * rgb.size(1),
              function,
              ": pixel ",
              pixel,
              " is outside of the picture ",
              rgb.sizes());
  return pixel;
}

// A picture that can be drawn on.
class Canvas {
 public:
  explicit Canvas(const at::Tensor& rgb)
      : picture_(rgb.detach().to(at::kCPU).contiguous().clone()),
        bytes_(picture_.mutable_data_ptr<std::uint8_t>()) {}

  void set(std::int64_t y, std::int64_t x, const std::uint8_t* colour) {
    if (y < 0 || x < 0 || y >= picture_.size(0) || x >= picture_.size(1)) return;
    std::copy_n(colour, 3, bytes_ + 3 * (y * picture_.size(1) + x));
  }
  const at::Tensor& picture() const { return picture_; }

 private:
  at::Tensor picture_;
  std::uint8_t* bytes_;
};

}  // namespace

at::Tensor with_dots(const at::Tensor& rgb,
                     const at::Tensor& pixels,
                     const at::Tensor& colours,
                     std::int64_t radius) {
  check_picture(rgb, "with_dots");
  TORCH_CHECK(pixels.dim() == 1 && pixels.scalar_type() == at::kLong && colours.dim() == 2 &&
                  colours.size(1) == 3 && colours.scalar_type() == at::kByte &&
                  (colours.size(0) == 1 || colours.size(0) == pixels.size(0)) && radius >= 0,
              "with_dots: expected pixels int64 [M] and colours uint8 [M,3] or [1,3], got ",
              pixels.sizes(),
              " and ",
              colours.sizes());
  Canvas canvas(rgb);
  const at::Tensor places = pixels.contiguous();
  const at::Tensor paint = colours.contiguous();
  for (std::int64_t i = 0; i < places.size(0); ++i) {
    const std::int64_t pixel =
        checked_pixel(places.const_data_ptr<std::int64_t>()[i], rgb, "with_dots");
    const std::uint8_t* colour =
        paint.const_data_ptr<std::uint8_t>() + (paint.size(0) == 1 ? 0 : 3 * i);
    for (std::int64_t dy = -radius; dy <= radius; ++dy) {
      for (std::int64_t dx = -radius; dx <= radius; ++dx) {
        canvas.set(pixel / rgb.size(1) + dy, pixel % rgb.size(1) + dx, colour);
      }
    }
  }
  return canvas.picture();
}

at::Tensor with_ring(const at::Tensor& rgb, std::int64_t pixel) {
  check_picture(rgb, "with_ring");
  checked_pixel(pixel, rgb, "with_ring");
  constexpr std::array<std::uint8_t, 3> kBlack{0, 0, 0};
  constexpr std::array<std::uint8_t, 3> kWhite{255, 255, 255};
  Canvas canvas(rgb);
  constexpr std::int64_t kReach = kRingRadius + 2;
  for (std::int64_t dy = -kReach; dy <= kReach; ++dy) {
    for (std::int64_t dx = -kReach; dx <= kReach; ++dx) {
      const double distance =
          std::abs(std::hypot(static_cast<double>(dy), static_cast<double>(dx)) - kRingRadius);
      if (distance > 1.6) continue;
      const std::int64_t y = pixel / rgb.size(1) + dy;
      canvas.set(y, pixel % rgb.size(1) + dx, (distance <= 0.8 ? kBlack : kWhite).data());
    }
  }
  return canvas.picture();
}

}  // namespace supn
