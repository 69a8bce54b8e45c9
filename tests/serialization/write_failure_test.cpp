#include "supn/serialization/write_failure.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cerrno>

#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/file_lock.hpp"

namespace supn {
namespace {

using test::TemporaryFolder;
using test::write_bytes;
using ::testing::HasSubstr;

std::string fault(int error) {
  try {
    fail_to_write("here", {error, std::generic_category()});
  } catch (const IoError& failure) {
    return failure.what();
  }
}

TEST(WriteFailure, NamesTheRemedyThatFits) {
  EXPECT_THAT(fault(ENOSPC), HasSubstr("here: cannot be written (No space left on device); free"));
  EXPECT_THAT(fault(ENAMETOOLONG), HasSubstr("name a shorter path"));
  EXPECT_THAT(fault(EACCES), HasSubstr("check the permissions"));
  EXPECT_THAT(fault(EFBIG), HasSubstr("ulimit -f"));
  EXPECT_THROW(fail_to_write("here", {ENOSPC, std::generic_category()}), DiskFull);
  EXPECT_THROW(fail_to_write("here", {EDQUOT, std::generic_category()}), DiskFull);
}

TEST(WriteFailure, OfAFolderBelowAFileSaysSo) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "x");
  try {
    create_folder(folder / "file/below");
    FAIL() << "created";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a part of the path is a file"));
  }
  EXPECT_THROW(create_folder(folder / "file"), IoError);
}

TEST(RequireWritable, TellsBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "x");
  const auto fault_of = [](const std::filesystem::path& file) -> std::string {
    try {
      require_writable(file);
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(fault_of(folder / "file"), "") << "it is replaced";
  EXPECT_EQ(fault_of(folder / "new/deep/file"), "");
  EXPECT_EQ(fault_of("new"), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  EXPECT_THAT(fault_of(folder / "file/new/deep"), HasSubstr("a part of the path is a file"));
  EXPECT_THAT(fault_of(folder / "."), HasSubstr("a folder is there"));
  EXPECT_THAT(fault_of(folder / std::string(300, 'a') / "x"), HasSubstr("name a shorter path"));
  namespace fs = std::filesystem;
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  if (::geteuid() == 0) return;  // who may write anywhere
  EXPECT_THAT(fault_of(folder / "locked/new/file"), HasSubstr("check the permissions"));
}

TEST(HiddenSibling, IsNoLongerThanANameMayBe) {
  const TemporaryFolder folder;
  const std::string name(250, 'a');
  write_file_atomically(folder / name, "x");
  EXPECT_EQ(test::read_bytes(folder / name), "x");
  EXPECT_LE(hidden_sibling(folder / name, ".part123456789").filename().string().size(), 255U);
  EXPECT_EQ(hidden_sibling("a/b", ".replaced"), "a/.b.replaced");
}

TEST(FileLock, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  {
    const FileLock first(folder / "lock");
    EXPECT_TRUE(first.is_held());
    EXPECT_FALSE(FileLock(folder / "lock").is_held());
  }
  FileLock again(folder / "lock");
  EXPECT_TRUE(again.is_held());
  const FileLock moved(std::move(again));
  EXPECT_TRUE(moved.is_held());
  EXPECT_FALSE(FileLock(folder / "lock").is_held());
  EXPECT_THROW(FileLock(folder / "absent/lock"), IoError);
}

}  // namespace
}  // namespace supn
