// Checks numbers on the command line. CLI11 takes more than people write: nan for any range, 010 as
// eight, -1 and numbers too large as the largest seed.
#pragma once

#include <CLI/App.hpp>

namespace supn {

// Has every numeric option of the app and of its commands refuse what is no decimal number: one
// that is not finite, or that the option's type cannot hold. Call it when all are declared.
void check_numbers(CLI::App& options);

}  // namespace supn
