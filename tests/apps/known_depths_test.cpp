// supn_condition with measurements that are none: other units, other kinds of scans, nothing at all.
#include <ATen/ops/zeros.h>

#include <cmath>

#include "apps/gaussian_app_test.hpp"
#include "supn/io/depth_png.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

class KnownDepths : public GaussianAppTest {
 protected:
  AppRun run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--gaussian", "g.safetensors"});
    return run_app_program("supn_condition", arguments);
  }
  // Points on the axis of a camera of 16x12 pixels, 4 to 5 m ahead, float32 in so many columns.
  void write_scan(const std::string& name, int columns, float unit) const {
    std::string bytes;
    for (int i = 0; i < 40; ++i) {
      const float values[] = {unit * (4.0F + 0.02F * static_cast<float>(i)),
                              unit * (1.0F - 0.05F * static_cast<float>(i)),
                              unit * -0.5F,
                              0.25F,
                              static_cast<float>(i % 8)};
      bytes.append(reinterpret_cast<const char*>(values),
                   static_cast<std::size_t>(columns) * sizeof(float));
    }
    write(name, bytes);
    write("day/calib_cam_to_cam.txt",
          "\xef\xbb\xbfS_rect_02: 16 12\nR_rect_00: 1 0 0 0 1 0 0 0 1\n"
          "P_rect_02: +10 0 8 0 0 10 6 0 0 0 1 0\n");
    write("day/calib_velo_to_cam.txt", "R: 0 -1 0 0 0 -1 1 0 0\nT: 0 0 0\n");
  }
  AppRun run_scan(const std::string& name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"--lidar", name, "--calibration", "day", "--out", "o"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
};

// Maps as if nothing had been measured must not come out of a mistake.
TEST_F(KnownDepths, RefusesMeasurementsOfWhichNoneCanBeUsed) {
  write_depth_png(folder_ / "zeros.png", at::zeros({kHeight, kWidth}));
  write("millimetres.csv", "x,y,depth_m\n3,2,4000\n10,7,5500\n");
  write("outliers.csv", "x,y,depth_m\n3,2,400\n10,7,0.6\n");

  expect_user_error(run({"--depth", "zeros.png", "--out", "o"}), "zeros.png: measures no pixel");
  expect_user_error(run({"--known", "millimetres.csv", "--scale", "fixed:5.4", "--out", "o"}),
                    "none of the 2 measured depths (4000 to 5500) lies within the 0.54 to 540 m");
  expect_user_error(run({"--known",
                         "outliers.csv",
                         "--scale",
                         "fixed:5.4",
                         "--noise-relative",
                         "0.001",
                         "--gate",
                         "1",
                         "--out",
                         "o"}),
                    "--gate 1: leaves out all 2 known depths");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o"));
  // A wish for none is one.
  EXPECT_EQ(run({"--known", "outliers.csv", "--count-known", "0", "--out", "o"}).code, 0);
}

TEST_F(KnownDepths, WarnsWhereMostDepthsCannotBeExpressed) {
  write("points.csv", "x,y,depth_m\n3,2,4000\n10,7,5500\n4,4,5\n");
  const AppRun done =
      run({"--known", "points.csv", "--scale", "fixed:5.4", "--out", "o", "--log-level", "warn"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("2 of the chosen depths, more than half, are out of the range"));
}

// Each would else be taken for a scan, and every depth be wrong.
TEST_F(KnownDepths, OfAScanOfAnotherKindAreRefusedWithAGuess) {
  write_scan("right.bin", 4, 1.0F);
  write_scan("five.bin", 5, 1.0F);
  write_scan("three.bin", 3, 1.0F);
  write_scan("millimetres.bin", 4, 1000.0F);

  expect_user_error(run_scan("five.bin"), "it looks like 5 columns: give --lidar-columns 5");
  expect_user_error(run_scan("three.bin"), "it looks like 3 columns: give --lidar-columns 3");
  expect_user_error(run_scan("millimetres.bin"), "it looks like millimetres");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o"));
  for (const char* columns : {"4", "5", "3"}) {
    const char* name = *columns == '4' ? "right.bin" : *columns == '5' ? "five.bin" : "three.bin";
    const AppRun done = run_scan(name, {"--lidar-columns", columns});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_GT(json("o/g/info.json")["points"]["known"], 4) << name;
  }
}

}  // namespace
}  // namespace supn
