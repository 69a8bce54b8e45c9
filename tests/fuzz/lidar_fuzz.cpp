// Laser scans, and their projection into an image.
#include <cstring>
#include <limits>

#include "fuzz_target.hpp"
#include "supn/data/lidar.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  const std::vector<float> points{10,
                                  0,
                                  0,
                                  0.5F,  // in the image
                                  5,
                                  1,
                                  1,
                                  0,  // beside it
                                  -1,
                                  0,
                                  0,
                                  0,  // behind the scanner
                                  0,
                                  0,
                                  0,
                                  0,  // at its centre
                                  std::numeric_limits<float>::infinity(),
                                  0,
                                  0,
                                  1};
  std::string bytes(points.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), points.data(), bytes.size());
  return {bytes, bytes.substr(0, 16)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFile file;
  file.write(supn::fuzz::text_of(data, size));
  const supn::LidarCamera camera{{10, -100, 0, 50, 5, 0, -100, 5, 1, 0, 0, -0.25}, {10, 20}};
  supn::fuzz::read_or_refuse([&] {
    const at::Tensor points = supn::read_lidar_scan(file.path());
    const supn::ProjectedScan scan = supn::project_scan(points, camera);
    supn::fuzz::require(scan.visible + scan.non_finite <= points.size(0), "no point counts twice");
  });
  return 0;
}
