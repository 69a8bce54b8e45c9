// Pictures show what a network makes of an image while it trains.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "supn/data/dataset.hpp"
#include "supn/network/supn_network.hpp"
#include "supn/training/schedule.hpp"

namespace supn {

struct Picture {
  std::string name;  // input, mean, std, sample, truth
  at::Tensor rgb;    // uint8 [H,W,3]
};

struct PictureOptions {
  Stage stage = Stage::kLikelihood;  // in the warm-up there is neither std nor sample
  std::int64_t samples = 10;         // for the std
  std::int64_t seed = 0;
};

// Mean and sample as sigmoids of the logits in the same colours (near is bright), the std of the
// logits in its own, the truth as 1/depth where the example has it. Runs the network in evaluation
// mode and leaves it there.
std::vector<Picture> pictures_of(SupnNetwork& network,
                                 const Example& example,
                                 const PictureOptions& options);

}  // namespace supn
