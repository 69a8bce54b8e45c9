// The command line that goes on with a run.
#pragma once

#include <string>

#include "common/run_app.hpp"

namespace supn {

// The call itself with --resume at its end, quoted for a shell where that is needed.
std::string resume_command(const CommandLine& call);

}  // namespace supn
