// The device is chosen by --device auto|cpu|cuda|cuda:<index>.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace supn {

// auto is the first CUDA device where there is one, else the CPU. Throws ConfigError for another
// spelling, and where CUDA is asked for and absent, saying what is missing: a CUDA build, a driver
// or GPU, that index.
c10::Device resolve_device(const std::string& name);

}  // namespace supn
