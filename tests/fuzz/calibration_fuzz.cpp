// A day's calibration: two files, in the input separated by the first zero byte.
#include "fuzz_target.hpp"
#include "supn/data/calibration.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  using namespace std::string_literals;
  const std::string cameras =
      "calib_time: 09-Jan-2012 13:57:47\n"
      "S_rect_02: 2.0e+01 1.0e+01\n"
      "R_rect_00: 1 0 0 0 1 0 0 0 1\n"
      "P_rect_02: 100 0 10 50 0 100 5 0 0 0 1 0\n";
  const std::string scanner = "R: 0 -1 0 0 0 -1 1 0 0\nT: 0.5 0 -0.25\n";
  return {cameras + "\0"s + scanner};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFolder folder;
  const std::string_view text = supn::fuzz::text_of(data, size);
  const std::size_t end = std::min(text.find('\0'), text.size());
  folder.write("calib_cam_to_cam.txt", text.substr(0, end));
  folder.write("calib_velo_to_cam.txt", text.substr(std::min(end + 1, text.size())));
  supn::fuzz::read_or_refuse([&] {
    const supn::LidarCamera camera = supn::read_lidar_camera(folder.path(), supn::Camera::kLeft);
    supn::fuzz::require(camera.size.height > 0 && camera.size.width > 0, "the image has pixels");
  });
  return 0;
}
