#include "view/uploads.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "view/reply.hpp"

namespace supn {
namespace {

// A file in memory alone, for readers that take paths.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes)
      : descriptor_(::memfd_create("upload", MFD_CLOEXEC)) {
    std::size_t done = 0;
    while (descriptor_ >= 0 && done < bytes.size()) {
      const ssize_t written = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    if (descriptor_ < 0 || done < bytes.size()) {
      throw BadRequest("there is no memory for the file", 507);
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// The reader's message speaks of the file that the user chose.
std::string with_name(std::string message, const std::string& path, const std::string& name) {
  for (std::size_t at = message.find(path); at != std::string::npos; at = message.find(path)) {
    message.replace(at, path.size(), name);
  }
  return message;
}

}  // namespace

at::Tensor uploaded_measurements(const Upload& upload,
                                 const MeasurementArguments& settings,
                                 const MeasuredSize& size) {
  MeasurementArguments arguments = settings;
  arguments.known = arguments.depth = arguments.lidar = "";
  const MemoryFile file(upload.bytes);
  const std::string ending = std::filesystem::path(upload.name).extension().string();
  if (ending == ".csv") {
    arguments.known = file.path();
  } else if (ending == ".png") {
    arguments.depth = file.path();
  } else if (ending == ".bin") {
    if (settings.calibration.empty()) {
      throw BadRequest("a scan needs a calibration; start supn_view with --calibration DIR", 422);
    }
    arguments.lidar = file.path();
  } else {
    throw BadRequest("expected a .csv list, a .png depth map or a .bin scan, got '" +
                     excerpt(upload.name) + "'");
  }
  try {
    return read_depths_alone(arguments, size);
  } catch (const IoError& error) {
    throw BadRequest(with_name(error.what(), file.path().string(), excerpt(upload.name)), 422);
  }
}

}  // namespace supn
