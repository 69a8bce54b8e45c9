// An option that changes nothing is a mistake that would pass unseen.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace supn {

// Throws CLI::ValidationError if the call gives `flag`. The callback of a parsed app calls it where
// what `needed` stands for is absent.
inline void refuse_without_effect(const CLI::App& options,
                                  const std::string& flag,
                                  const std::string& needed) {
  if (options.count(flag) == 0) return;
  throw CLI::ValidationError(flag, "has no effect without " + needed);
}

}  // namespace supn
