#include "inference/inputs.hpp"

#include <gmock/gmock.h>

#include "io/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Inputs : public TemporaryFolder {
 protected:
  std::vector<std::string> names(const std::string& source) const {
    std::vector<std::string> all;
    for (const InputImage& image : images_from(folder_ / source)) all.push_back(image.name);
    return all;
  }
};

TEST_F(Inputs, OfAFolderComeInTheOrderThatPeopleCount) {
  for (const char* name : {"IMG_10.png",
                           "IMG_2.png",
                           "IMG_2b.png",
                           "IMG_002.png",
                           "a.jpg",
                           "IMG_2.txt",
                           "._IMG_2.png",
                           ".hidden.jpg",
                           "IMG_99999999999999999999.png",
                           "IMG_100000000000000000000.png"}) {
    put(folder_ / "album" / name, "x");
  }
  EXPECT_THAT(names("album"),
              ElementsAre("IMG_002",
                          "IMG_2",
                          "IMG_2b",
                          "IMG_10",
                          "IMG_99999999999999999999",
                          "IMG_100000000000000000000",
                          "a"));
}

TEST_F(Inputs, OfAListMayHaveAByteOrderMarkAndLongPaths) {
  const std::string deep = std::string(150, 'x') + "/" + std::string(150, 'y');
  put(folder_ / "list.txt",
      "\xef\xbb\xbf"
      "a/b.png\r\n" +
          deep + "1.png\n" + deep + "2.png\n");
  const std::vector<InputImage> images = images_from(folder_ / "list.txt");
  ASSERT_EQ(images.size(), 3U);
  EXPECT_EQ(images[0].name, "a_b");
  EXPECT_EQ(images[0].path, folder_ / "a/b.png");
  EXPECT_LE(images[1].name.size(), 200U);
  EXPECT_NE(images[1].name, images[2].name);
  EXPECT_GT(images[1].seed_id.size(), 300U) << "the noise goes by the whole name";
}

TEST_F(Inputs, OfAListMayBeInTheHomeFolder) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::setenv("HOME", "/home/me", 1);
  put(folder_ / "list.txt", "~/photo.png\n");
  const std::vector<InputImage> images = images_from(folder_ / "list.txt");
  ::setenv("HOME", home.c_str(), 1);
  EXPECT_EQ(images.front().path, "/home/me/photo.png");
}

TEST_F(Inputs, ThatLeadNowhereSaySo) {
  std::filesystem::create_symlink(folder_ / "gone.png", folder_ / "link.png");
  EXPECT_THAT(message_of<IoError>([&] { images_from(folder_ / "link.png"); }),
              HasSubstr("is a link that leads nowhere"));
  EXPECT_THAT(message_of<IoError>([&] { images_from(folder_ / "absent.png"); }),
              HasSubstr("not found"));
}

}  // namespace
}  // namespace supn
