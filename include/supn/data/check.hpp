// Looks through a split's files before a long run meets a bad one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "supn/data/dataset.hpp"

namespace supn {

struct DataFault {
  std::filesystem::path path;
  std::string message;  // what was expected and what was found
  std::string remedy;
};

struct CheckReport {
  std::int64_t frames = 0;
  std::int64_t images = 0;  // of the following, those without fault
  std::int64_t depth_maps = 0;
  std::int64_t sample_files = 0;  // one per image and stored scale, log-scales too
  std::vector<DataFault> faults;
};

// kHeaders: there, of the right kind, bits, channels, size (as decoded: turned by EXIF), S and
// length, as the headers say. kValues: decoded and looked at value by value too.
enum class CheckDepth { kHeaders, kValues };

struct CheckOptions {
  ExampleContents contents = {};
  CheckDepth depth = CheckDepth::kValues;
  std::int64_t threads = 1;
};

// Looks at every file that `contents` asks for and judges it as KittiDataset would: there,
// decodable, right size, S, dtype, finite; a depth map must also have its image's size. Goes on
// after a fault; faults come in the order of the frames for any number of threads. S is that of the
// first sample file with a sound header. on_frame is called after each frame, in the caller's
// thread; what it throws ends the check. Throws IoError and ConfigError only where the split itself
// cannot be read or is not set.
CheckReport check_split(const DataConfig& config,
                        Split split,
                        const CheckOptions& options,
                        const std::function<void()>& on_frame);

}  // namespace supn
