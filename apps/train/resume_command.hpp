// The command line that goes on with a run.
#pragma once

#include <cstdint>
#include <string>

#include "common/run_app.hpp"

namespace supn {

// The call itself with --resume at its end, quoted for a shell where that is needed; by torchrun on
// this machine where there are several processes.
std::string resume_command(const CommandLine& call, std::int64_t processes);

}  // namespace supn
