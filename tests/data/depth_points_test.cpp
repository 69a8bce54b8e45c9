#include "supn/data/depth_points.hpp"

#include <gmock/gmock.h>

#include "io/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

class DepthPoints : public TemporaryFolder {
 protected:
  at::Tensor read(const std::string& text) const { return read_points(text).depth_m; }
  DepthPointMaps read_points(const std::string& text) const {
    put(folder_ / "p.csv", text);
    return read_depth_points(folder_ / "p.csv", {4, 6});
  }
  std::string fault(const std::string& text) const {
    return message_of<IoError>([&] { read(text); });
  }
};

TEST_F(DepthPoints, ReadsPointsCommentsAndBlankLines) {
  const at::Tensor map = read("# by hand\n x , y, depth_m\r\n\n5,3,12.5\n# more\n0,1, 7e-1\n");
  EXPECT_EQ(map.sizes(), at::IntArrayRef({4, 6}));
  EXPECT_EQ(map[3][5].item<double>(), 12.5);
  EXPECT_EQ(map[1][0].item<double>(), 0.7);
  EXPECT_EQ(map.sum().item<double>(), 13.2);
}

TEST_F(DepthPoints, ReadsWhatSpreadsheetsWrite) {
  const at::Tensor map = read("\xef\xbb\xbfx,y,depth_m\r\n+5,3,+12.5\r\n");
  EXPECT_EQ(map[3][5].item<double>(), 12.5);
  EXPECT_THAT(fault("x,y,depth_m\n5\u00a0,3,1\n"), HasSubstr("x is '5\\u00a0'"));
}

TEST_F(DepthPoints, HaveAStdOfTheirOwnWhereTheListSaysSo) {
  EXPECT_FALSE(read_points("x,y,depth_m\n1,2,3\n").std_m.defined());
  const DepthPointMaps points = read_points("x, y, depth_m, std_m\n5,3,12.5,0.25\n0,1,4,0\n");
  EXPECT_EQ(points.depth_m[3][5].item<double>(), 12.5);
  EXPECT_EQ(points.std_m[3][5].item<double>(), 0.25);
  EXPECT_EQ(points.std_m.sum().item<double>(), 0.25);
  const std::string header = "x,y,depth_m,std_m\n";
  EXPECT_THAT(fault(header + "1,2,3\n"), HasSubstr("p.csv:2: expected four fields"));
  for (const std::string std : {"-1", "nan", "inf", ""}) {
    EXPECT_THAT(fault(header + "1,0,3," + std + "\n"),
                HasSubstr("p.csv:2: std_m is '" + std + "', expected a number, not negative"));
  }
}

TEST_F(DepthPoints, NamesFileAndLineOfWhatIsWrong) {
  const std::string header = "x,y,depth_m\n";
  EXPECT_THAT(fault("1,2,3\n"), HasSubstr("p.csv:1: expected the header x,y,depth_m"));
  EXPECT_THAT(fault(header + "1,2\n"), HasSubstr("p.csv:2: expected three fields"));
  EXPECT_THAT(fault(header + "1,2,3,4\n"), HasSubstr("p.csv:2: expected three fields"));
  EXPECT_THAT(fault(header + "\n6,0,3\n"), HasSubstr("p.csv:3: x is '6', expected"));
  EXPECT_THAT(fault(header + "0,-1,3\n"), HasSubstr("p.csv:2: y is '-1'"));
  EXPECT_THAT(fault(header + "1.5,0,3\n"), HasSubstr("p.csv:2: x is '1.5'"));
  EXPECT_THAT(fault(header + ",0,3\n"), HasSubstr("p.csv:2: x is ''"));
  EXPECT_THAT(fault(header + "99999999999999999999,0,3\n"), HasSubstr("p.csv:2: x is"));
  for (const std::string depth : {"0", "-2", "nan", "inf", "1e999", "deep", ""}) {
    EXPECT_THAT(fault(header + "1,0," + depth + "\n"),
                HasSubstr("p.csv:2: depth_m is '" + depth + "'"));
  }
  EXPECT_THAT(fault(header + "1,0,3\n2,0,3\n1,0,4\n"),
              HasSubstr("p.csv:4: pixel 1,0 is given again, first in line 2"));
  EXPECT_THAT(fault(header), HasSubstr("p.csv: names no points"));
  EXPECT_THAT(fault("# nothing\n"), HasSubstr("names no points"));
  EXPECT_THAT(fault(""), HasSubstr("is empty"));
}

TEST_F(DepthPoints, NamesAFileThatIsMissing) {
  EXPECT_THAT(message_of<IoError>([&] {
                read_depth_points(folder_ / "none.csv", ImageSize{4, 6});
              }),
              HasSubstr("none.csv"));
}

}  // namespace
}  // namespace supn
