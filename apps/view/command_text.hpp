// Command lines for a shell that give what the page shows.
#pragma once

#include <string>

#include "inference/inputs.hpp"
#include "view/options.hpp"

namespace supn {

// "--checkpoint runs/best --image 'my photo.jpg' --seed 1": what the other programs need to see the
// same Gaussian, quoted for a shell.
std::string command_text(const ViewArguments& arguments, const InputImage& image);

}  // namespace supn
