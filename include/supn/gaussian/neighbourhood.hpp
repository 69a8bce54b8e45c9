// The causal window of a pixel: which later pixels its row of Lᵀ couples it to.
//
// Radius r: the pixels of the (2r+1)² window that come after the centre in raster order, K =
// 2r(r+1) of them: r=1: (0,1), (1,-1), (1,0), (1,1); r=2: (0,1), (0,2), (1,-2..2), (2,-2..2).
// Radius 0 has no neighbours: independent pixels. See docs/method.md "The distribution", paper
// section 3.
#pragma once

#include <cstdint>
#include <vector>

namespace supn {

// (rows down, columns right) from the centre pixel.
struct Offset {
  std::int64_t dy;
  std::int64_t dx;
  bool operator==(const Offset&) const = default;
};

class Neighbourhood {
 public:
  // Throws c10::Error if radius < 0.
  explicit Neighbourhood(std::int64_t radius);

  std::int64_t radius() const { return radius_; }
  // K = 2r(r+1), the number of off-diagonal maps.
  std::int64_t size() const { return static_cast<std::int64_t>(offsets_.size()); }
  // In channel order of the off-diagonal maps.
  const std::vector<Offset>& offsets() const { return offsets_; }
  // Number of Jacobi sweeps after which the iteration is exact: W + (r+1)(H-1); 1 for r = 0.
  std::int64_t exact_sweeps(std::int64_t height, std::int64_t width) const;

  bool operator==(const Neighbourhood& other) const { return radius_ == other.radius_; }

 private:
  std::int64_t radius_;
  std::vector<Offset> offsets_;
};

}  // namespace supn
