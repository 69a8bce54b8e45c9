// Measured depths as a list, points.csv.
#include <cmath>

#include "fuzz_target.hpp"
#include "supn/data/depth_points.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  return {"x,y,depth_m\n3,2,4\n10,7,5.5\n",
          "# points\n x , y , depth_m \r\n\n0,0,1e-3\n15,11,80\n",
          "x,y,depth_m,std_m\n3,2,4,0.1\n10,7,5.5,0\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFile file;
  file.write(supn::fuzz::text_of(data, size));
  supn::fuzz::read_or_refuse([&] {
    const supn::DepthPointMaps maps = supn::read_depth_points(file.path(), {12, 16});
    for (const at::Tensor& map : {maps.depth_m, maps.std_m}) {
      if (!map.defined()) continue;
      const double* values = map.const_data_ptr<double>();
      for (std::int64_t i = 0; i < map.numel(); ++i) {
        supn::fuzz::require(values[i] >= 0.0 && std::isfinite(values[i]),
                            "depths and stds are finite and not negative");
      }
    }
  });
  return 0;
}
