#include "supn/data/kitti.hpp"

#include <gmock/gmock.h>

#include "io/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class KittiLayout : public TemporaryFolder {
 protected:
  std::string split_fault(const std::string& text) const {
    put(folder_ / "split.txt", text);
    return message_of<IoError>([&] { read_split(folder_ / "split.txt"); });
  }
};

TEST_F(KittiLayout, NamesAFrameByDriveCameraAndTenDigits) {
  EXPECT_EQ((Frame{"d/e", 12, Camera::kLeft}.id()), "d/e/image_02/0000000012");
  EXPECT_EQ((Frame{"d/e", 1234567890, Camera::kRight}.id()), "d/e/image_03/1234567890");
}

TEST_F(KittiLayout, ReadsBothSidesAndPaddedNumbers) {
  put(folder_ / "split.txt", "a/b 5 l\r\n\n  a/b 0000000017 r  \nc/d 0 l");

  const std::vector<Frame> frames = read_split(folder_ / "split.txt");

  const std::vector<Frame> expected = {
      {"a/b", 5, Camera::kLeft}, {"a/b", 17, Camera::kRight}, {"c/d", 0, Camera::kLeft}};
  EXPECT_EQ(frames, expected);
}

TEST_F(KittiLayout, ReadsWhatEditorsAndTablesWrite) {
  put(folder_ / "split.txt",
      "\xef\xbb\xbf"
      "a/b +5 l\r\n");

  EXPECT_EQ(read_split(folder_ / "split.txt"), (std::vector<Frame>{{"a/b", 5, Camera::kLeft}}));
}

TEST_F(KittiLayout, ShowsWhatCannotBeSeenInALine) {
  EXPECT_THAT(split_fault("a/b\u00a05 l\n"), HasSubstr("found 'a/b\\u00a05 l'"));
  EXPECT_THAT(split_fault("a/b 5 l\na/b \ufeff5 l\n"), HasSubstr("found '\\ufeff5'"));
  EXPECT_THAT(split_fault("a/b \xff l\n"), HasSubstr("found '\\xff'"));
}

TEST_F(KittiLayout, NamesTheLineThatIsWrong) {
  const std::string at_line_2 = (folder_ / "split.txt").string() + ":2: ";
  EXPECT_THAT(
      split_fault("a/b 5 l\na/b 5\n"),
      AllOf(StartsWith(at_line_2), HasSubstr("found 'a/b 5'"), HasSubstr("write lines like")));
  EXPECT_THAT(split_fault("a/b 5 l\na/b 5 l x\n"), HasSubstr("expected `drive frame side`"));
  EXPECT_THAT(split_fault("a/b 5 l\na/b five l\n"), HasSubstr("number, found 'five'"));
  EXPECT_THAT(split_fault("a/b 5 l\na/b -5 l\n"), HasSubstr("number, found '-5'"));
  EXPECT_THAT(split_fault("a/b 5 l\na/b 99999999999 l\n"), HasSubstr("number"));
  EXPECT_THAT(split_fault("a/b 5 l\na/b 5 x\n"), HasSubstr("found 'x'"));
  EXPECT_THAT(split_fault("a/b 5 l\na/\x1b[31mb 5\n"), HasSubstr("found 'a/\\x1b[31mb 5'"));
  EXPECT_LT(split_fault("a/b 5 l\n" + std::string(5000, 'a') + "\n").size(), 500U);
  EXPECT_THAT(split_fault("a/b 5 l\n../b 5 l\n"), HasSubstr("below the root"));
  EXPECT_THAT(split_fault("a/b 5 l\n/b 5 l\n"), HasSubstr("below the root"));
}

TEST_F(KittiLayout, RefusesASplitWithoutFrames) {
  EXPECT_THAT(split_fault("\n \n"), HasSubstr("names no frames"));
  EXPECT_THROW(read_split(folder_ / "missing.txt"), IoError);
  EXPECT_THROW(read_split(folder_), IoError);
}

TEST_F(KittiLayout, FindsJpgOrPngOfEitherCamera) {
  put(folder_ / "a/b/image_02/data/0000000001.jpg", "");
  put(folder_ / "a/b/image_03/data/0000000001.png", "");

  EXPECT_EQ(image_path(folder_, {"a/b", 1, Camera::kLeft}),
            folder_ / "a/b/image_02/data/0000000001.jpg");
  EXPECT_EQ(image_path(folder_, {"a/b", 1, Camera::kRight}),
            folder_ / "a/b/image_03/data/0000000001.png");
  EXPECT_THAT(message_of<IoError>([&] {
                image_path(folder_, {"a/b", 2, Camera::kLeft});
              }),
              AllOf(HasSubstr("image_02/data/0000000002.jpg"), HasSubstr("data.root")));
}

TEST_F(KittiLayout, TakesTheFirstDepthFolderThatHasTheFrame) {
  put(folder_ / "a/b/near/image_02/0000000001.png", "");
  put(folder_ / "a/b/far/deep/image_02/0000000001.png", "");
  put(folder_ / "a/b/near/image_02/0000000002.png", "");
  const std::vector<std::string> folders = {"far/deep", "near"};

  EXPECT_EQ(depth_path(folder_, {"a/b", 1, Camera::kLeft}, folders),
            folder_ / "a/b/far/deep/image_02/0000000001.png");
  EXPECT_EQ(depth_path(folder_, {"a/b", 2, Camera::kLeft}, folders),
            folder_ / "a/b/near/image_02/0000000002.png");
  EXPECT_FALSE(depth_path(folder_, {"a/b", 1, Camera::kRight}, folders));
  EXPECT_FALSE(depth_path(folder_, {"a/b", 1, Camera::kLeft}, {}));
}

TEST_F(KittiLayout, PlacesSampleAndTruthFiles) {
  const Frame frame{"a/b", 3, Camera::kRight};

  EXPECT_EQ(sample_path("s", frame, 2), "s/a/b/image_03/0000000003/logit_2.npy");
  EXPECT_EQ(log_scale_path("s", frame), "s/a/b/image_03/0000000003/log_scale_0.npy");
  EXPECT_EQ(truth_path("t", frame), "t/a/b/image_03/0000000003.safetensors");
}

TEST_F(KittiLayout, KnowsEachSplitsFile) {
  DataConfig config;
  config.train_split = "a";
  config.val_split = "b";
  config.test_split = "c";
  config.sequence_split = "d";

  EXPECT_EQ(split_file(config, Split::kTrain), "a");
  EXPECT_EQ(split_file(config, Split::kVal), "b");
  EXPECT_EQ(split_file(config, Split::kTest), "c");
  EXPECT_EQ(split_file(config, Split::kSequence), "d");
}

}  // namespace
}  // namespace supn
