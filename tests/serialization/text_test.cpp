// Texts that people write and read: excerpts, widths, numbers, names, paths.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/parse_number.hpp"
#include "supn/serialization/file_names.hpp"
#include "supn/serialization/user_path.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

TEST(Excerpt, SpellsOutWhatCannotBeSeen) {
  EXPECT_EQ(visible("a\tb\x7f"), "a\\x09b\\x7f");
  EXPECT_EQ(visible("a\u00a0b\ufeff\u200b"), "a\\u00a0b\\ufeff\\u200b");
  EXPECT_EQ(visible("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate is no UTF-8";
  EXPECT_EQ(visible("\xc0\xaf"), "\\xc0\\xaf") << "nor is an overlong form";
  EXPECT_EQ(visible("Straße 東京 🙂"), "Straße 東京 🙂");
  EXPECT_EQ(visible("\U000e0041"), "\\U000e0041");
}

TEST(Excerpt, CutsNoCharacterInTwo) {
  EXPECT_EQ(excerpt("äöü", 6), "äöü");
  EXPECT_EQ(excerpt("äöü", 5), "äö...");
  EXPECT_EQ(excerpt("🙂", 3), "...");
  EXPECT_EQ(excerpt("\xff\xff", 1), "\\xff...");
}

TEST(DisplayWidth, CountsColumnsOfATerminal) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("Straße"), 6U);
  EXPECT_EQ(display_width("東京"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U) << "a mark on the letter before";
}

TEST(ParseNumber, TakesALeadingPlusAndNothingElseBesideTheNumber) {
  EXPECT_EQ(parse_number<std::int64_t>("+5").value, 5);
  EXPECT_EQ(parse_number<double>("+1.5e1").value, 15.0);
  EXPECT_EQ(parse_number<std::int64_t>("-5").value, -5);
  for (const char* text : {"", "+", "+-5", "++5", " 5", "5 ", "5x", "0x5"}) {
    EXPECT_FALSE(parse_number<std::int64_t>(text)) << text;
  }
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775808").error,
            std::errc::result_out_of_range);
}

TEST(ShortenedName, KeepsLongNamesApartAndCutsNoCharacter) {
  EXPECT_EQ(shortened_name("photo"), "photo");
  const std::string start(300, 'a');
  const std::string first = shortened_name(start + "1");
  EXPECT_EQ(first.size(), kLongestStem);
  EXPECT_NE(first, shortened_name(start + "2"));
  EXPECT_EQ(first, shortened_name(start + "1"));
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "東";
  const std::string cut = shortened_name(wide);
  EXPECT_LE(cut.size(), kLongestStem);
  EXPECT_TRUE(is_utf8(cut)) << cut;
}

TEST(ExpandedPath, PutsTheHomeFolderForALeadingTilde) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(expanded_path("~/runs/x"), "/home/me/runs/x");
  EXPECT_EQ(expanded_path("~"), "/home/me");
  EXPECT_EQ(expanded_path("a/~/b"), "a/~/b");
  EXPECT_EQ(expanded_path("costs_5$"), "costs_5$");
  ::setenv("HOME", home.c_str(), 1);
}

TEST(ExpandedPath, RefusesWhatOnlyAShellExpands) {
  const auto fault = [](const char* text) -> std::string {
    try {
      return "taken as " + expanded_path(text);
    } catch (const ConfigError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(fault("$HOME/x"), HasSubstr("$HOME/x: variables are not expanded here"));
  EXPECT_THAT(fault("runs/${NAME}"), HasSubstr("variables are not expanded here"));
  EXPECT_THAT(fault("~other/x"), HasSubstr("another user's home folder is not expanded here"));
  EXPECT_LT(fault(("~" + std::string(3000, 'x')).c_str()).size(), 400U);
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "a$b", "x");
  EXPECT_EQ(expanded_path((folder / "a$b").string()), (folder / "a$b").string());
}

}  // namespace
}  // namespace supn
