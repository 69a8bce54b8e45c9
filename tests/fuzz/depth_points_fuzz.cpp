// Measured depths as a list, points.csv.
#include <cmath>

#include "fuzz_target.hpp"
#include "supn/data/depth_points.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  return {"x,y,depth_m\n3,2,4\n10,7,5.5\n",
          "# points\n x , y , depth_m \r\n\n0,0,1e-3\n15,11,80\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFile file;
  file.write(supn::fuzz::text_of(data, size));
  supn::fuzz::read_or_refuse([&] {
    const at::Tensor depth_m = supn::read_depth_points(file.path(), {12, 16});
    const double* values = depth_m.const_data_ptr<double>();
    for (std::int64_t i = 0; i < depth_m.numel(); ++i) {
      supn::fuzz::require(values[i] >= 0.0 && std::isfinite(values[i]),
                          "depths are finite and positive");
    }
  });
  return 0;
}
