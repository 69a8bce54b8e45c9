#include "row.hpp"

namespace supn::bench {

LimitShare limit_share(const Work& work,
                       const MachineLimits& limits,
                       const std::string& dtype,
                       double seconds) {
  const double peak = dtype == "f64" ? limits.fma_f64_per_second : limits.fma_f32_per_second;
  const double by_dram = work.dram_bytes / limits.dram_bytes_per_second;
  const double by_fma = work.fused_multiply_adds / peak;
  return by_dram >= by_fma ? LimitShare{"DRAM", by_dram / seconds}
                           : LimitShare{"FMA", by_fma / seconds};
}

}  // namespace supn::bench
