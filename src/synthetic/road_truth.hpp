// The Gaussian that a scene's members are drawn from, and the file that keeps it.
#pragma once

#include <cstdint>
#include <memory>

#include "supn/evaluation/fields/joint_field.hpp"
#include "supn/serialization/safetensors.hpp"
#include "supn/synthetic/road.hpp"
#include "supn/synthetic/synthetic_set.hpp"

namespace supn::road {

struct Truth {
  SafetensorsFile file;
  std::unique_ptr<JointField> field;  // float64, of the float32 values in the file
};

// seed: of the part of the shared error that is drawn for the scene.
Truth make_truth(SyntheticField kind,
                 const RoadView& view,
                 const RoadEnsemble& ensemble,
                 std::uint64_t seed);

}  // namespace supn::road
