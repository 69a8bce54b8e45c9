// An open file that closes itself.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace supn {

class Descriptor {
 public:
  // get() is negative, and errno says why, where the file can't be opened.
  Descriptor(const std::filesystem::path& path, int flags)
      : descriptor_(::open(path.c_str(), flags, 0644)) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace supn
