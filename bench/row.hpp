// A line of the benchmark's table: what was compared, on what, and how it came out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine.hpp"
#include "supn/image_size.hpp"
#include "timing.hpp"

namespace supn::bench {

enum class Comparison { kAtLeast, kAtMost };

struct Target {
  std::string quantity;  // "ratio", "memory ratio", "ms", "extra MB"
  Comparison comparison = Comparison::kAtLeast;
  double bound = 0;
  double measured = 0;

  bool met() const {
    return comparison == Comparison::kAtLeast ? measured >= bound : measured <= bound;
  }
};

// The least that ours must move and compute for one unit (sample, image): what a limit is taken of.
struct Work {
  double dram_bytes = 0;
  double fused_multiply_adds = 0;
};

struct LimitShare {
  std::string limit;  // "DRAM" or "FMA", the one that allows less
  double share = 0;   // of it that ours reaches, by its median time
};

struct PeakMemory {
  double ours = 0;                // bytes beyond what was there before
  std::optional<double> of_peer;  // likewise
};

struct Row {
  std::string section;  // sampling, likelihood, marginals, conditioning
  std::string subject;  // what is computed
  ImageSize size;
  std::string order;  // of the factor's pixels, Neighbourhood::description()
  std::string factor;
  std::string dtype = "f32";  // of ours
  std::int64_t samples = 1;
  std::int64_t known = 0;  // pixels; conditioning
  int threads = 1;
  std::string unit = "sample";  // what times are per
  std::string ours;
  std::string peer;
  std::string peer_settings;

  double difference = 0;  // relative, between the answers
  double tolerance = 0;
  std::string refused;  // why nothing was timed; empty if it was

  std::optional<PairedTimes> times;
  std::optional<PeakMemory> memory;
  std::optional<LimitShare> limit;
  std::vector<Target> targets;
};

// Neither bytes nor multiply-adds can be faster than the machine: the nearer limit.
LimitShare limit_share(const Work& work,
                       const MachineLimits& limits,
                       const std::string& dtype,
                       double seconds);

}  // namespace supn::bench
