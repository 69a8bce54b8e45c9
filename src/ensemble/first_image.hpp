// The members' maps of one image can give away a wrong configuration before all images are computed
// with it.
#pragma once

#include <span>

#include "supn/ensemble/ensemble_config.hpp"
#include "supn/ensemble/run_ensemble.hpp"

namespace supn {

// maps: of one image. Throws ConfigError naming ensemble.quantity where the maps cannot be what it
// says: more than half of a member's values are saturated, or all "logits" lie within [0, 1], as
// sigmoids do; and ensemble.members where two of them give the same map to the last bit.
void check_first_image(std::span<const Member> members,
                       const EnsembleConfig& config,
                       const EnsembleMaps& maps);

}  // namespace supn
