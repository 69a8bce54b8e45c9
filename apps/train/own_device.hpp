// Each of several processes has a device of its own.
#pragma once

#include <c10/core/Device.h>

#include "supn/training/process_group.hpp"

namespace supn {

// In a group on GPUs each process of a machine has a device of its own: that of its local rank.
// Throws ConfigError if the machine has fewer.
c10::Device own_device(c10::Device asked, const ProcessPlace& place);

}  // namespace supn
