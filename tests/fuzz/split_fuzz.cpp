// Lists of frames: their images lie below the root, whatever a line says.
#include <algorithm>

#include "fuzz_target.hpp"
#include "supn/data/kitti.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  return {
      "2011_09_26/2011_09_26_drive_0001_sync 5 l\n"
      "2011_09_26/2011_09_26_drive_0001_sync 0000000006 r\r\n\n",
      "a/../b 1 l\n",
      "/etc 9999999999 r\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFile file;
  file.write(supn::fuzz::text_of(data, size));
  const std::filesystem::path root = "/images";
  supn::fuzz::read_or_refuse([&] {
    for (const supn::Frame& frame : supn::read_split(file.path())) {
      const auto place = supn::sample_path(root, frame, 0).lexically_normal();
      const auto [end, unused] =
          std::mismatch(root.begin(), root.end(), place.begin(), place.end());
      supn::fuzz::require(end == root.end(), "a frame's files lie below the root");
    }
  });
  return 0;
}
