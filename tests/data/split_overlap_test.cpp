#include "supn/data/split_overlap.hpp"

#include <gmock/gmock.h>

#include "io/temporary_folder.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SplitOverlap : public TemporaryFolder {
 protected:
  std::filesystem::path list(const std::string& name, const std::string& text) const {
    put(folder_ / name, text);
    return folder_ / name;
  }
};

TEST_F(SplitOverlap, IsNothingForListsThatAreApart) {
  DataConfig config;
  config.train_split = list("train.txt", "a 1 l\na 2 l\n");
  config.test_split = list("test.txt", "a 1 r\nb 1 l\n");
  config.sequence_split = config.train_split;
  config.val_split = folder_ / "absent.txt";
  EXPECT_THAT(split_overlaps(config), IsEmpty());
}

TEST_F(SplitOverlap, NamesFramesThatListsShareAndThatAreListedTwice) {
  DataConfig config;
  config.train_split = list("train.txt", "a 1 l\na 2 l\na 3 l\na 4 l\na 5 l\n");
  config.val_split = list("val.txt", "b 1 l\nb 1 l\nb 1 l\n");
  config.test_split = list("test.txt", "a 0005 l\na 4 l\na 3 l\na 2 l\nb 1 l\n");
  EXPECT_THAT(
      split_overlaps(config),
      ElementsAre(HasSubstr("data.val_split names 1 frame (b/image_02/0000000001) more than once"),
                  AllOf(HasSubstr("data.train_split and data.test_split share 4 frames ("),
                        HasSubstr("a/image_02/0000000005, a/image_02/0000000004"),
                        HasSubstr("…)")),
                  HasSubstr("data.val_split and data.test_split share 1 frame")));
}

}  // namespace
}  // namespace supn
