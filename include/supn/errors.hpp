// A user can mend these two kinds of error. Everything else (a broken contract between functions)
// is a TORCH_CHECK; what numerics can say is a value (SolveReport), never an exception.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "supn/excerpt.hpp"

namespace supn {

// A file that is missing, unreadable, damaged, of the wrong kind, or cannot be written.
// what() reads "<path>: <what is wrong and what to do>", the path as visible() shows it.
class IoError : public std::runtime_error {
 public:
  IoError(const std::filesystem::path& path, const std::string& message)
      : std::runtime_error(visible(path.string()) + ": " + message) {}
};

// There is no room for what was to be written: what writes many files must not try the next.
class DiskFull : public IoError {
 public:
  using IoError::IoError;
};

// A configuration or command line that asks for something impossible.
// what() reads "<file>:<line>: <key>: <expectation, what came, remedy>" as far as these are known.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace supn
