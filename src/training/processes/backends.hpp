// Backends carry tensors between processes.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "supn/training/process_group.hpp"

namespace supn {

struct Backends {
  c10::intrusive_ptr<c10d::Backend> cpu;
  c10::intrusive_ptr<c10d::Backend> gpu;  // null: GPU tensors are cpu's as well
};

// Throws what c10d throws.
Backends make_backends(const ProcessPlace& place);

}  // namespace supn
