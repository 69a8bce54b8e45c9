// The samples of a sequence as a film.
#pragma once

#include <vector>

#include "inference/inputs.hpp"
#include "sample/options.hpp"

namespace supn {

// Shows images whose outputs are in arguments.out (write.hpp), in their order: image, mean and std,
// and below the first samples, with the same colours throughout. Throws IoError.
void write_film(const std::vector<InputImage>& images, const SampleArguments& arguments);

}  // namespace supn
