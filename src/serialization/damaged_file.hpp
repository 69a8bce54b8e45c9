// A DamagedFile says what is wrong inside a file; who knows the file's name adds it (IoError).
#pragma once

#include <stdexcept>

#include "supn/excerpt.hpp"

namespace supn {

class DamagedFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace supn
