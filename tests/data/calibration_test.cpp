#include "supn/data/calibration.hpp"

#include <gmock/gmock.h>

#include "io/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

class Calibration : public TemporaryFolder {
 protected:
  void write(const std::string& cameras, const std::string& scanner) const {
    put(folder_ / "calib_cam_to_cam.txt", cameras);
    put(folder_ / "calib_velo_to_cam.txt", scanner);
  }
  std::string fault(const std::string& cameras, const std::string& scanner) const {
    write(cameras, scanner);
    return message_of<IoError>([&] { read_lidar_camera(folder_, Camera::kLeft); });
  }

  // Focal length 100, centre (10, 5); the camera's axes are the scanner's −y, −z and x.
  static constexpr const char* kCameras =
      "calib_time: 09-Jan-2012 13:57:47\n"
      "S_rect_02: 2.0e+01 1.0e+01\n"
      "R_rect_00: 1 0 0 0 1 0 0 0 1\n"
      "P_rect_02: 100 0 10 50 0 100 5 0 0 0 1 0\n"
      "S_rect_03: 30 40\n"
      "P_rect_03: 100 0 10 -50 0 100 5 0 0 0 1 0\n";
  static constexpr const char* kScanner = "R: 0 -1 0 0 0 -1 1 0 0\nT: 0.5 0 -0.25\n";
};

TEST_F(Calibration, MultipliesTheChain) {
  write(kCameras, kScanner);

  const LidarCamera camera = read_lidar_camera(folder_, Camera::kLeft);

  EXPECT_EQ(camera.size, (ImageSize{10, 20}));
  // (x, y, z) is (−y + 0.5, −z, x − 0.25) of the camera.
  const std::array<double, 12> expected{
      10, -100, 0, 100 * 0.5 + 10 * -0.25 + 50, 5, 0, -100, 5 * -0.25, 1, 0, 0, -0.25};
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(camera.projection[i], expected[i], 1e-12) << i;
}

TEST_F(Calibration, TakesTheCameraAskedFor) {
  write(kCameras, kScanner);
  const LidarCamera camera = read_lidar_camera(folder_, Camera::kRight);
  EXPECT_EQ(camera.size, (ImageSize{40, 30}));
  EXPECT_NEAR(camera.projection[3], 100 * 0.5 + 10 * -0.25 - 50, 1e-12);
}

TEST_F(Calibration, NamesTheLineThatIsWrong) {
  const std::string good(kCameras);
  EXPECT_THAT(fault(good, "R: 0 -1 0 0 0 -1 1 0\nT: 0 0 0\n"),
              HasSubstr("calib_velo_to_cam.txt:1: R: expected 9 numbers, found 8"));
  EXPECT_THAT(fault(good, "R: 0 -1 0 0 0 -1 1 0 0\nT: 0 nan 0\n"), HasSubstr("txt:2: T: 'nan'"));
  EXPECT_THAT(fault(good, "R: 0 -1 0 0 0 -1 1 0 0\n\nT: 0 1e999 0\n"), HasSubstr("txt:3: T:"));
  EXPECT_THAT(fault(good, "R: 0 -1 0 0 0 -1 1 0 0\nT: 0 0 0\nR: 1\n"),
              HasSubstr("txt:3: R is given again, first in line 1"));
  EXPECT_THAT(fault(good, "R: 0 -1 0 0 0 -1 2 0 0\nT: 0 0 0\n"), HasSubstr("not a rotation"));
  EXPECT_THAT(fault(good, "no colon\n"), HasSubstr("txt:1: expected `key: values`"));
  EXPECT_THAT(fault(good, "T: 0 0 0\n"), HasSubstr("has no line R: ..."));
  EXPECT_THAT(fault("S_rect_02: 20 1.5\nR_rect_00: 1 0 0 0 1 0 0 0 1\n"
                    "P_rect_02: 1 0 0 0 0 1 0 0 0 0 1 0\n",
                    kScanner),
              HasSubstr("calib_cam_to_cam.txt:1: S_rect_02: expected the image's width"));
}

TEST_F(Calibration, NamesTheFileThatIsMissing) {
  put(folder_ / "calib_cam_to_cam.txt", kCameras);
  EXPECT_THAT(message_of<IoError>([&] { read_lidar_camera(folder_, Camera::kLeft); }),
              HasSubstr("calib_velo_to_cam.txt"));
}

}  // namespace
}  // namespace supn
