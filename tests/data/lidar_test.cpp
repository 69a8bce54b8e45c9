#include "supn/data/lidar.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "io/temporary_folder.hpp"
#include "supn/data/calibration.hpp"
#include "supn/errors.hpp"
#include "supn/io/depth_png.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// u = 10·y/x, v = 10·z/x, depth x, on 4×6 pixels.
const LidarCamera kCamera{{0, 10, 0, 0, 0, 0, 10, 0, 1, 0, 0, 0}, {4, 6}};

at::Tensor points_of(const std::vector<float>& values) {
  at::Tensor points = at::empty({static_cast<std::int64_t>(values.size() / 4), 4}, at::kFloat);
  std::memcpy(points.mutable_data_ptr<float>(), values.data(), values.size() * sizeof(float));
  return points;
}

double at_pixel(const ProjectedScan& scan, std::int64_t y, std::int64_t x) {
  return scan.depth_m[y][x].item<double>();
}

TEST(ProjectScan, CountsPixelsFromOneAndRoundsTiesToEven) {
  // u = 3, 2.5 (to 2), 3.5 (to 4); v = 1.
  const ProjectedScan scan =
      project_scan(points_of({2, 0.6F, 0.2F, 0, 4, 1, 0.4F, 0, 5, 1.75F, 0.5F, 0}), kCamera);

  EXPECT_EQ(scan.visible, 3);
  EXPECT_EQ(at_pixel(scan, 0, 2), 2.0);
  EXPECT_EQ(at_pixel(scan, 0, 1), 4.0);
  EXPECT_EQ(at_pixel(scan, 0, 3), 5.0);
  EXPECT_EQ(scan.depth_m.gt(0).sum().item<std::int64_t>(), 3);
}

TEST(ProjectScan, KeepsTheNearestOfAPixel) {
  const ProjectedScan scan =
      project_scan(points_of({5, 1, 1, 0, 3, 0.6F, 0.6F, 0, 4, 0.8F, 0.8F, 0}), kCamera);
  EXPECT_EQ(at_pixel(scan, 1, 1), 3.0);
  EXPECT_EQ(scan.visible, 3);
}

TEST(ProjectScan, LeavesOutWhatIsBehindOutsideOrNotFinite) {
  const ProjectedScan scan = project_scan(
      points_of(
          {-2,   -0.6F, -0.2F, 0, 2, 5,         0.2F, 0, 2, 0, 0,    0,  // behind, outside, u = 0
           kNan, 1,     1,     0, 2, kInfinity, 1,    0, 2, 1, kNan, 0, 0, 0, 0, 0}),
      kCamera);
  EXPECT_EQ(scan.visible, 0);
  EXPECT_EQ(scan.non_finite, 3);
  EXPECT_EQ(scan.depth_m.abs().sum().item<double>(), 0.0);
}

TEST(ProjectScan, RejectsOtherShapes) {
  EXPECT_THROW(project_scan(at::empty({3, 3}, at::kFloat), kCamera), c10::Error);
}

class LidarScan : public TemporaryFolder {};

TEST_F(LidarScan, ReadsPoints) {
  const std::vector<float> values{1, 2, 3, 0.5F, -4, 5, -6, 0.25F};
  put(folder_ / "scan.bin",
      std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
  EXPECT_TRUE(read_lidar_scan(folder_ / "scan.bin").equal(points_of(values)));
}

TEST_F(LidarScan, RejectsFilesThatAreCutOffEmptyOrMissing) {
  const auto fault = [&](const std::string& name) {
    return message_of<IoError>([&] { read_lidar_scan(folder_ / name); });
  };
  put(folder_ / "cut.bin", std::string(35, '\0'));
  put(folder_ / "empty.bin", "");
  EXPECT_THAT(fault("cut.bin"), HasSubstr("cut.bin: expected a laser scan of 16 bytes a point"));
  EXPECT_THAT(fault("empty.bin"), HasSubstr("is empty"));
  EXPECT_THAT(fault("none.bin"), HasSubstr("none.bin"));
}

// 200 points all around, 5 to 50 m away, in the columns and numbers of another kind of file.
class ForeignScan : public TemporaryFolder {
 protected:
  template <class Number>
  std::string bytes(std::int64_t columns, double unit) const {
    std::string text;
    for (int i = 0; i < 200; ++i) {
      const double far = 5.0 + 45.0 * i / 199.0;
      const double angle = 0.7 * i;
      const double values[] = {unit * far * std::cos(angle),
                               unit * far * std::sin(angle),
                               unit * -1.5 + 0.001 * i,
                               0.3 + 0.002 * i,
                               i % 64 + 0.0};
      for (std::int64_t c = 0; c < columns; ++c) {
        const auto number = static_cast<Number>(values[c]);
        text.append(reinterpret_cast<const char*>(&number), sizeof number);
      }
    }
    return text;
  }
  std::string fault(const std::string& text, std::int64_t columns = kLidarColumns) const {
    put(folder_ / "scan.bin", text);
    return message_of<IoError>([&] { read_lidar_scan(folder_ / "scan.bin", columns); });
  }
};

TEST_F(ForeignScan, IsNoScanByItsFirstBytes) {
  const std::string scan = bytes<float>(4, 1.0);
  EXPECT_EQ(fault(scan), "");
  EXPECT_THAT(fault("\x93NUMPY\x01" + scan), HasSubstr("NumPy array (.npy), not a laser scan"));
  EXPECT_THAT(fault("# .PCD v0.7 - Point Cloud\n" + scan), HasSubstr("point cloud (.pcd)"));
  EXPECT_THAT(fault("ply\nformat binary\n" + scan), HasSubstr("point cloud (.ply)"));
  EXPECT_THAT(fault("1.5 2.5 3.5 0.25\n1.5 2.5 3.5 0.25\n"), HasSubstr("is a text"));
}

TEST_F(ForeignScan, IsRefusedByWhatAScanCannotBeWithAGuess) {
  EXPECT_THAT(fault(bytes<double>(4, 1.0)), HasSubstr("it looks like float64"));
  EXPECT_THAT(fault(bytes<float>(5, 1.0)), HasSubstr("give --lidar-columns 5"));
  EXPECT_THAT(fault(bytes<float>(3, 1.0)), HasSubstr("give --lidar-columns 3"));
  EXPECT_THAT(fault(bytes<float>(4, 1000.0)), HasSubstr("millimetres"));
  EXPECT_THAT(fault(bytes<float>(4, 1.0), 5), HasSubstr("leave out --lidar-columns"));
  std::string big_endian = bytes<float>(4, 1.0);
  for (std::size_t i = 0; i < big_endian.size(); i += 4) {
    std::reverse(big_endian.begin() + static_cast<std::ptrdiff_t>(i),
                 big_endian.begin() + static_cast<std::ptrdiff_t>(i + 4));
  }
  EXPECT_THAT(fault(big_endian), HasSubstr("it looks big-endian"));
}

TEST_F(ForeignScan, OfOtherColumnsGivesTheSamePointsWhereItIsToldSo) {
  put(folder_ / "four.bin", bytes<float>(4, 1.0));
  put(folder_ / "five.bin", bytes<float>(5, 1.0));
  put(folder_ / "three.bin", bytes<float>(3, 1.0));
  const at::Tensor expected = read_lidar_scan(folder_ / "four.bin");
  EXPECT_TRUE(read_lidar_scan(folder_ / "five.bin", 5).equal(expected));
  const at::Tensor three = read_lidar_scan(folder_ / "three.bin", 3);
  EXPECT_TRUE(three.narrow(1, 0, 3).equal(expected.narrow(1, 0, 3)));
  EXPECT_EQ(three.select(1, 3).abs().max().item<float>(), 0.0F);
}

TEST_F(ForeignScan, WithAPointThatNoScannerGivesLeavesItOut) {
  std::string text = bytes<float>(4, 1.0);
  const float far = 1e6F;
  text.replace(0, sizeof far, reinterpret_cast<const char*>(&far), sizeof far);
  put(folder_ / "scan.bin", text);
  const ProjectedScan scan = project_scan(read_lidar_scan(folder_ / "scan.bin"), kCamera);
  EXPECT_EQ(scan.implausible, 1);
}

// The depth maps beside the real scans were made by another program.
TEST(RealLidar, GivesThePublishedProjection) {
  const auto day = std::filesystem::path(SUPN_SHARED_DIR) / "data/kitti_mini/2011_09_26";
  if (!std::filesystem::exists(day)) GTEST_SKIP() << "needs " << day;
  const auto drive = day / "2011_09_26_drive_0002_sync";
  for (const std::string frame : {"0000000000", "0000000003"}) {
    for (const Camera camera : {Camera::kLeft, Camera::kRight}) {
      const ProjectedScan scan =
          project_scan(read_lidar_scan(drive / "velodyne_points/data" / (frame + ".bin")),
                       read_lidar_camera(day, camera));
      const std::string folder = camera == Camera::kLeft ? "image_02" : "image_03";
      const at::Tensor expected = read_depth_png(drive / "lidar_depth" / folder / (frame + ".png"));

      EXPECT_TRUE(scan.depth_m.gt(0).equal(expected.gt(0))) << frame << folder;
      EXPECT_LE((scan.depth_m - expected).abs().max().item<double>(), 0.5001 / 256);
    }
  }
}

}  // namespace
}  // namespace supn
