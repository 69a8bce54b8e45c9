// --version prints this text.
#pragma once

#include <string>

namespace supn {

// "<app> 0.1.0 (git 0123456789ab), LibTorch 2.11.0, CUDA no". CUDA is "no", "built in, no device
// found" or "yes, <n> device(s)".
std::string version_text(const std::string& app);

// The git commit that this was built from, "-dirty" behind it if sources had changes; "unknown"
// outside a git checkout.
const char* git_hash();

}  // namespace supn
