#include "supn/serialization/output_guard.hpp"

#include <gmock/gmock.h>

#include <array>

#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::write_bytes;
using ::testing::HasSubstr;

constexpr std::array<std::string_view, 2> kFileNames{"mean.npy", "sample_*.png"};

template <class Call>
std::string fault(const Call& call) {
  try {
    call();
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

std::string folder_fault(const fs::path& folder) {
  return fault([&] { require_own_folder(folder, kFileNames); });
}

TEST(OutputGuard, TakesAFolderOfItsOwnNamesAlone) {
  const TemporaryFolder folder;
  const fs::path own = folder / "own";
  EXPECT_EQ(folder_fault(own), "") << "it need not be there";
  fs::create_directory(own);
  for (const char* name : {"mean.npy", "sample_0012.png", ".DS_Store", ".mean.npy.part12"}) {
    write_bytes(own / name, "x");
  }
  EXPECT_EQ(folder_fault(own), "");
  for (const char* name : {"notes.txt", "sample_.png", "sample_1a.png", ".mean.npy.parts"}) {
    write_bytes(own / name, "x");
    EXPECT_THAT(folder_fault(own), HasSubstr(std::string("holds ") + name));
    fs::remove(own / name);
  }
  fs::remove(own / "mean.npy");
  fs::create_directory(own / "mean.npy");
  EXPECT_THAT(folder_fault(own), HasSubstr("holds mean.npy")) << "a folder is no file of ours";
}

TEST(OutputGuard, ReplacesNoLinkAndNoFile) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "album");
  fs::create_symlink(folder / "album", folder / "link");
  write_bytes(folder / "file", "x");
  EXPECT_THAT(folder_fault(folder / "link"), HasSubstr("is a link"));
  EXPECT_THAT(folder_fault(folder / "file"), HasSubstr("is a file"));
}

TEST(OutputGuard, FindsAnInputUnderAnySpelling) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "album");
  const fs::path photo = folder / "album/photo.png";
  write_bytes(photo, "x");
  write_bytes(folder / "album/other.png", "x");
  fs::create_directory_symlink(folder / "album", folder / "pictures");
  fs::create_symlink(photo, folder / "soft.png");
  fs::create_hard_link(photo, folder / "hard.png");
  OutputGuard guard;
  guard.reads(photo);
  guard.reads(folder / "absent.png");

  for (const char* name : {"album/photo.png",
                           "album/./photo.png",
                           "album/../album/photo.png",
                           "pictures/photo.png",
                           "soft.png",
                           "hard.png"}) {
    EXPECT_THAT(fault([&] { guard.check_file(folder / name); }), HasSubstr("is an input")) << name;
  }
  EXPECT_EQ(fault([&] { guard.check_file(folder / "album/other.png"); }), "");
  EXPECT_EQ(fault([&] { guard.check_file(folder / "absent.png"); }), "");
}

TEST(OutputGuard, ReplacesNoFolderWithAnInputInIt) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "out/photo");
  write_bytes(folder / "out/photo/mean.npy", "x");
  fs::create_directory_symlink(folder / "out", folder / "same");
  const auto check = [&](const fs::path& input, const fs::path& output) {
    OutputGuard guard;
    guard.reads(input);
    return fault([&] { guard.check_folder(output, kFileNames); });
  };
  const fs::path input = folder / "out/photo/mean.npy";
  EXPECT_THAT(check(input, folder / "out/photo"), HasSubstr("holds an input"));
  EXPECT_THAT(check(input, folder / "same/photo/"), HasSubstr("holds an input"));
  EXPECT_THAT(check(folder / "out/photo", folder / "out/photo"), HasSubstr("holds an input"));
  EXPECT_EQ(check(folder / "absent", folder / "out/photo"), "");
}

TEST(OutputGuard, TellsWhatLiesInAFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "out");
  fs::create_directory_symlink(folder / "out", folder / "same");
  EXPECT_TRUE(lies_in(folder / "same/photo/g.safetensors", folder / "out/photo"));
  EXPECT_FALSE(lies_in(folder / "out/g.safetensors", folder / "out/photo"));
  EXPECT_FALSE(lies_in(folder / "out/photos/g", folder / "out/photo"));
}

}  // namespace
}  // namespace supn
