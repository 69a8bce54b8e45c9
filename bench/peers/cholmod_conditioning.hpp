// The conditional distribution by CHOLMOD's factor of the precision of the unknown pixels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compressed_columns.hpp"

namespace supn::bench {

// Λ = L Lᵀ. Throws std::runtime_error if CHOLMOD fails.
CompressedColumns precision_of(const CompressedColumns& factor);

struct KnownPixels {
  std::vector<std::int64_t> pixels;  // [K], ascending
  std::vector<double> values;        // [K]
  std::vector<double> prior;         // [F,N], fields that are to be conditioned
};

// The conditioned fields [F,N], everything made anew as for a new image. Ordering: "AMD", "METIS",
// any other word leaves the choice to CHOLMOD. Throws std::runtime_error if CHOLMOD fails.
std::vector<double> conditioned(const CompressedColumns& precision,
                                const KnownPixels& known,
                                const std::string& ordering);

}  // namespace supn::bench
