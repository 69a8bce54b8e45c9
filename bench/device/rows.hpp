// What is measured on a device.
#pragma once

#include <filesystem>

#include "measurement.hpp"
#include "training/made_up_batch.hpp"

namespace supn::bench {

struct Sizes {
  BatchShape batch;
  std::int64_t samples = 1000;  // of one image
  std::int64_t sweeps = 20;     // of Jacobi's 1000
};

// Steps of every form of the factor at every precision. The weights and the batch of the paper's
// form are written to `twin` for eager_step.py, unless it is empty.
void measure_training(Measurements& measurements,
                      const Sizes& sizes,
                      const std::filesystem::path& twin);

// A mean and eight samples for every image, against eight networks of which each gives a map.
void measure_inference(Measurements& measurements, const Sizes& sizes);

// Many samples of one image, exact and by Jacobi's sweeps; their noise; densities; copies.
void measure_sampling(Measurements& measurements, const Sizes& sizes);

}  // namespace supn::bench
