#include "supn/network/mean_network.hpp"

#include "compact_mean_network.hpp"
#include "resnet_mean_network.hpp"

namespace supn {

std::unique_ptr<MeanNetwork> make_mean_network(Backbone backbone) {
  if (backbone == Backbone::kCompact) return std::make_unique<CompactMeanNetwork>(Skips::kNone);
  if (backbone == Backbone::kCompactUnet) {
    return std::make_unique<CompactMeanNetwork>(Skips::kAdded);
  }
  return std::make_unique<ResnetMeanNetwork>();
}

}  // namespace supn
