#include "supn/serialization/atomic_file.hpp"

#include <gtest/gtest.h>

#include <array>

#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using test::read_bytes;
using test::TemporaryFolder;
using test::write_bytes;

constexpr std::array<std::string_view, 3> kNames{"part", "old", "new"};

TEST(AtomicFile, WritesAndReplaces) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "deep/er/file", "first");
  write_file_atomically(folder / "deep/er/file", std::string("se\0cond", 7));
  EXPECT_EQ(read_bytes(folder / "deep/er/file"), std::string("se\0cond", 7));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "deep/er"), {}), 1);
}

TEST(AtomicFile, NamesThePathThatCannotBeWritten) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "x");
  EXPECT_THROW(write_file_atomically(folder / "file" / "below", "y"), IoError);
  std::filesystem::create_directory(folder / "directory");
  EXPECT_THROW(write_file_atomically(folder / "directory", "y"), IoError);
  EXPECT_EQ(folder.entries(), 2) << "leftovers";
}

TEST(AtomicDirectory, AppearsWholeOrNotAtAll) {
  const TemporaryFolder folder;
  {
    const AtomicDirectory abandoned(folder / "out", kNames);
    write_file_atomically(abandoned.path() / "part", "x");
  }
  EXPECT_EQ(folder.entries(), 0);
  AtomicDirectory directory(folder / "out", kNames);
  write_file_atomically(directory.path() / "part", "x");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  directory.commit();
  EXPECT_EQ(read_bytes(folder / "out" / "part"), "x");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicDirectory, ReplacesTheOldOneWhole) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "out");
  write_bytes(folder / "out" / "old", "x");
  AtomicDirectory directory(folder / "out", kNames);
  write_file_atomically(directory.path() / "new", "y");
  directory.commit();
  EXPECT_FALSE(std::filesystem::exists(folder / "out" / "old"));
  EXPECT_EQ(read_bytes(folder / "out" / "new"), "y");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicDirectory, RefusesToReplaceAFile) {
  const TemporaryFolder folder;
  write_bytes(folder / "out", "precious");
  EXPECT_THROW(AtomicDirectory(folder / "out", kNames), IoError);
  EXPECT_EQ(read_bytes(folder / "out"), "precious");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicDirectory, ReplacesNothingThatItHasNotWritten) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "out");
  write_bytes(folder / "out" / "old", "x");
  AtomicDirectory directory(folder / "out", kNames);
  write_file_atomically(directory.path() / "new", "y");
  write_bytes(folder / "out" / "notes.txt", "mine");  // meanwhile
  EXPECT_THROW(directory.commit(), IoError);
  EXPECT_EQ(read_bytes(folder / "out" / "notes.txt"), "mine");
  EXPECT_EQ(read_bytes(folder / "out" / "old"), "x");
  EXPECT_THROW(AtomicDirectory(folder / "out", kNames), IoError);
}

TEST(AtomicDirectory, IsRecoveredAfterAnInterruptedCommit) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / ".out.replaced");
  write_bytes(folder / ".out.replaced" / "part", "x");
  recover_directory(folder / "out");
  EXPECT_EQ(read_bytes(folder / "out" / "part"), "x");
}

}  // namespace
}  // namespace supn
