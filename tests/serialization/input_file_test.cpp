#include "supn/serialization/input_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using test::TemporaryFolder;
using test::write_bytes;
using ::testing::HasSubstr;

std::string fault(const std::filesystem::path& path) {
  try {
    read_text(path, 1000);
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

TEST(InputFile, ReadsWithinALimit) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "12345");
  EXPECT_EQ(read_file(folder / "file", 5), "12345");
  EXPECT_THROW(read_file(folder / "file", 4), IoError);
}

TEST(InputFile, LeavesOutAByteOrderMarkOfTexts) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "\xef\xbb\xbfx,y\n\xef\xbb\xbf");
  EXPECT_EQ(read_text(folder / "file", 100), "x,y\n\xef\xbb\xbf");
  EXPECT_EQ(read_file(folder / "file", 100).size(), 10U) << "other files are left as they are";
  write_bytes(folder / "file", std::string("\xff\xfex\0", 4));
  EXPECT_THAT(fault(folder / "file"), HasSubstr("UTF-16; save it as UTF-8"));
}

TEST(InputFile, SaysWhatLiesInPlaceOfTheFile) {
  const TemporaryFolder folder;
  write_bytes(folder / "empty", "");
  EXPECT_THAT(fault(folder / "empty"), HasSubstr("empty: is empty"));
  write_bytes(folder / "lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n");
  EXPECT_THAT(fault(folder / "lfs"), HasSubstr("is a Git LFS pointer"));
  EXPECT_THAT(fault(folder / "lfs"), HasSubstr("git lfs pull"));
  for (const char* page :
       {"<!DOCTYPE html><html>", "\n <html lang=\"en\">", "\xef\xbb\xbf<HTML>"}) {
    write_bytes(folder / "page", page);
    EXPECT_THAT(fault(folder / "page"), HasSubstr("is a web page")) << page;
  }
}

TEST(InputFile, SaysWhyAFileCannotBeOpened) {
  const TemporaryFolder folder;
  EXPECT_THAT(fault(folder / "absent"), HasSubstr("there is no such file"));
  EXPECT_THAT(fault(folder.path()), HasSubstr("is a folder"));
  write_bytes(folder / "file", "x");
  EXPECT_THAT(fault(folder / "file" / "below"), HasSubstr("a part of its path is a file"));
  std::filesystem::create_symlink(folder / "gone", folder / "link");
  EXPECT_THAT(fault(folder / "link"), HasSubstr("is a link that leads nowhere (to "));
  std::filesystem::create_symlink(folder / "circle", folder / "circle");
  EXPECT_THAT(fault(folder / "circle"), HasSubstr("leads in a circle"));
  EXPECT_THAT(fault(folder / std::string(300, 'a')), HasSubstr("longer name"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(fault(folder / "pipe"), HasSubstr("is not a regular file"));
}

// As another user where the tests run as root, who may read everything.
TEST(InputFile, SaysThatPermissionIsMissing) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "x");
  std::filesystem::create_directory(folder / "closed");
  write_bytes(folder / "closed" / "file", "x");
  ::chmod((folder / "file").c_str(), 0);
  ::chmod((folder / "closed").c_str(), 0);
  const uid_t user = ::geteuid();
  constexpr uid_t kNobody = 65534;
  if (user == 0) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const std::string of_file = fault(folder / "file");
  const std::string of_folder = fault(folder / "closed" / "file");
  const bool there = is_there(folder / "closed" / "file");
  if (user == 0) {
    ASSERT_EQ(::seteuid(user), 0);
  }
  ::chmod((folder / "closed").c_str(), 0700);

  EXPECT_THAT(of_file, HasSubstr("may not be read; ask its owner"));
  EXPECT_THAT(of_folder, HasSubstr("closed may not be entered"));
  EXPECT_TRUE(there) << "who reads it is told why it can't";
}

TEST(InputFile, ShowsWhatCannotBeSeenOfItsName) {
  const TemporaryFolder folder;
  EXPECT_THAT(fault(folder / "a\u00a0b"), HasSubstr("a\\u00a0b: there is no such file"));
}

}  // namespace
}  // namespace supn
