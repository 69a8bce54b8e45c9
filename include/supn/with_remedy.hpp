// A ConfigError tells the user what a computation finds impossible with the input.
#pragma once

#include <c10/util/Exception.h>

#include <string>

#include "supn/errors.hpp"

namespace supn {

// Calls `work`; its c10::Error becomes a ConfigError that ends with the remedy in brackets.
template <class Work>
auto with_remedy(const std::string& remedy, const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    throw ConfigError(std::string(error.what_without_backtrace()) + " (" + remedy + ")");
  }
}

}  // namespace supn
