// The Gaussian that a scene's members are drawn from, and the file that keeps it.
#pragma once

#include <ATen/core/Tensor.h>

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
  at::Tensor members;                 // float64 [S,h,w], drawn from it
};

// What is drawn for a scene.
struct SceneDraws {
  std::uint64_t shared_seed;  // of the part of the shared error that is the scene's own
  std::uint64_t members_seed;
  std::int64_t members;
};

Truth make_truth(SyntheticField kind,
                 const RoadView& view,
                 const RoadEnsemble& ensemble,
                 const SceneDraws& draws);

}  // namespace supn::road
