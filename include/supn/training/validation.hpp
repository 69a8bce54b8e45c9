// Measures a network on the validation split, at an epoch's end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "supn/data/loader.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/network/supn_network.hpp"
#include "supn/training/schedule.hpp"
#include "supn/training/validation_report.hpp"

namespace supn {

struct ValidationOptions {
  Stage stage = Stage::kLikelihood;
  std::int64_t samples = 10;  // exact samples an image
  std::int64_t seed = 0;
  EvaluationConfig evaluation;  // protocol and scale of abs_rel
};

// Next batch, or nothing at the end.
using BatchSource = std::function<std::optional<Batch>()>;
// Called after each batch with its number of images.
using BatchDone = std::function<void(std::int64_t)>;

// Stops where the source ends. Leaves the network in evaluation mode. Throws c10::Error if the
// source is empty.
ValidationReport validate(SupnNetwork& network,
                          const BatchSource& next,
                          const ValidationOptions& options,
                          const BatchDone& done);

}  // namespace supn
