#include "fuzz_target.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "supn/errors.hpp"
#include "supn/serialization/json.hpp"

namespace supn::fuzz {
namespace {

constexpr std::size_t kLongestMessage = 1200;

void require_clear(const std::string& message) {
  require(!message.empty() && message.size() <= kLongestMessage, "a message has 1 to 1200 bytes");
  const bool printable = std::all_of(message.begin(), message.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  });
  require(printable, "a message is one printable line");
}

void write_seeds(const std::filesystem::path& corpus) {
  std::filesystem::create_directories(corpus);
  int number = 0;
  for (const std::string& seed : seeds()) {
    std::ofstream(corpus / ("seed_" + std::to_string(number++)), std::ios::binary) << seed;
  }
}

}  // namespace

MemoryFile::MemoryFile()
    : descriptor_(::memfd_create("supn_fuzz", 0)),
      path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  if (descriptor_ < 0) throw std::runtime_error("memfd_create failed");
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

void MemoryFile::write(std::string_view bytes) const {
  const bool done =
      ::ftruncate(descriptor_, 0) == 0 &&
      ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  if (!done) throw std::runtime_error("writing to memory failed");
}

MemoryFolder::MemoryFolder() {
  const bool has_memory = ::access("/dev/shm", W_OK) == 0;
  std::string name = (has_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
                     "/supn_fuzz_XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

MemoryFolder::~MemoryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void MemoryFolder::write(const std::string& name, std::string_view bytes) const {
  std::ofstream(path_ / name, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string bytes_written(const std::function<void(const std::filesystem::path&)>& write) {
  const MemoryFolder folder;
  write(folder.path() / "file");
  std::ifstream stream(folder.path() / "file", std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

Outcome read_or_refuse(const std::function<void()>& read) {
  try {
    read();
    return Outcome::kRead;
  } catch (const IoError& error) {
    require_clear(error.what());
  } catch (const ConfigError& error) {
    require_clear(error.what());
  } catch (const JsonError& error) {
    require_clear(error.what());
  }
  return Outcome::kRefused;
}

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

}  // namespace supn::fuzz

// Of both engines, before they read the corpus: the seeds go into the first folder named, so that
// none have to be stored.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (argument.starts_with('-') || std::filesystem::is_regular_file(argument)) continue;
    supn::fuzz::write_seeds(argument);
    break;
  }
  return 0;
}

// A larger allocation ends the run as a crash does; LibTorch's thread pools are no leak.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1024:allocator_may_return_null=0:detect_leaks=1";
}
