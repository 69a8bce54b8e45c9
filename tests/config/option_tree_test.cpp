#include "supn/config/option_tree.hpp"

#include <gmock/gmock.h>

#include "config/config_fixture.hpp"

namespace supn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TestOptions read(const std::string& text) {
  TestOptions options;
  read_options(options, parse_yaml(text, {"a.yaml", "/configs"}));
  return options;
}

std::string reading_fault(const std::string& text) {
  return message_of<ConfigError>([&] { read(text); });
}

TEST(ReadOptions, SetsEveryType) {
  const TestOptions options = read(
      "outer:\n  enabled: true\n  count: 7\n  name: a b\n  file: ../x.png\n  steps: []\n"
      "  files: [y, /z]\n  inner:\n    rate: 1\n    shape: flat\n");

  EXPECT_TRUE(options.outer.enabled);
  EXPECT_EQ(options.outer.count, 7);
  EXPECT_EQ(options.outer.name, "a b");
  EXPECT_EQ(options.outer.file, "/x.png");
  EXPECT_TRUE(options.outer.steps.empty());
  EXPECT_THAT(options.outer.files, ElementsAre("/configs/y", "/z"));
  EXPECT_EQ(options.outer.inner.rate, 1.0);
  EXPECT_EQ(options.outer.inner.shape, Shape::kFlat);
}

TEST(ReadOptions, KeepsDefaultsOfWhatIsNotNamed) {
  const TestOptions options = read("outer:\n  inner:\n  file: \"\"\n");

  EXPECT_EQ(options.outer.count, 3);
  EXPECT_TRUE(options.outer.file.empty());
  EXPECT_EQ(options.outer.inner.rate, 0.1);
}

TEST(ReadOptions, NamesTheNearestKey) {
  EXPECT_EQ(reading_fault("outer:\n  count: 1\n  conut: 4\n"),
            "a.yaml:3: outer.conut: unknown key, did you mean outer.count?");
  EXPECT_THAT(reading_fault("outer:\n  rate: 1\n"), HasSubstr("did you mean outer.inner.rate?"));
  EXPECT_THAT(reading_fault("otter:\n  a: 1\n"),
              HasSubstr("a.yaml:1: otter: unknown key, did you mean outer?"));
  EXPECT_THAT(reading_fault("outer:\n  inner:\n    completely_else: 1\n"),
              HasSubstr("valid here: rate or shape"));
}

TEST(ReadOptions, RefusesWrongTypes) {
  EXPECT_EQ(reading_fault("outer:\n  enabled: yes\n"),
            "a.yaml:2: outer.enabled: expected true or false, got 'yes'");
  for (const std::string value : {"1", "True", "on", "\"true\"", "", "[true]"}) {
    EXPECT_THAT(reading_fault("outer:\n  enabled: " + value + "\n"),
                HasSubstr("expected true or false"));
  }
  for (const std::string value :
       {"3.0", "1e1", "0x10", "three", "\"3\"", "{a: 1}", "~", "+-3", "3 4"}) {
    EXPECT_THAT(reading_fault("outer:\n  count: " + value + "\n"),
                HasSubstr("expected a whole number"));
  }
  EXPECT_THAT(reading_fault("outer:\n  count: 99999999999999999999\n"), HasSubstr("64 bits"));
  for (const std::string value : {".inf", "nan", "inf", "1e999", "1,5", "1f", "true"}) {
    EXPECT_THAT(reading_fault("outer:\n  inner:\n    rate: " + value + "\n"),
                HasSubstr("expected a number"));
  }
  EXPECT_THAT(reading_fault("outer:\n  name:\n"),
              HasSubstr("expected a text (\"\" for none), got nothing"));
  EXPECT_THAT(reading_fault("outer:\n  file: [a]\n"), HasSubstr("expected a path"));
  EXPECT_THAT(reading_fault("outer:\n  steps: 4\n"), HasSubstr("expected a list [a, b], got '4'"));
  EXPECT_THAT(reading_fault("outer:\n  steps: [1,\n    x]\n"),
              StartsWith("a.yaml:3: outer.steps: expected"));
  EXPECT_THAT(reading_fault("outer: 4\n"), HasSubstr("outer: is a section"));
}

TEST(ReadOptions, RefusesValuesOutOfRange) {
  EXPECT_EQ(reading_fault("outer:\n  count: 11\n"),
            "a.yaml:2: outer.count: expected 1 to 10, got '11'");
  EXPECT_THAT(reading_fault("outer:\n  steps: [1, 101]\n"),
              HasSubstr("expected 0 to 100, got '101'"));
  EXPECT_THAT(reading_fault("outer:\n  inner:\n    rate: -1e-9\n"), HasSubstr("expected 0 to 1"));
}

TEST(ReadOptions, ListsTheChoices) {
  EXPECT_EQ(reading_fault("outer:\n  inner:\n    shape: square\n"),
            "a.yaml:3: outer.inner.shape: expected round or flat, got 'square'");
}

TEST(OptionsAsYaml, LoadsBackToTheSame) {
  TestOptions options;
  options.outer.enabled = true;
  options.outer.name = "a \"quoted\" \\ line\nnext: [x] # é \x01";
  options.outer.file = "/with space/:#x";
  options.outer.steps = {5, 6};
  options.outer.files = {"/a", "/b, c"};
  options.outer.inner.rate = 0.1 + 0.2;
  options.outer.inner.shape = Shape::kFlat;

  const std::string yaml = options_as_yaml(list_options(options));
  const TestOptions again = read(yaml);

  EXPECT_EQ(again.outer.name, options.outer.name);
  EXPECT_EQ(again.outer.file, options.outer.file);
  EXPECT_EQ(again.outer.files, options.outer.files);
  EXPECT_EQ(again.outer.inner.rate, options.outer.inner.rate);
  EXPECT_EQ(options_as_yaml(list_options(again)), yaml);
  EXPECT_THAT(yaml, HasSubstr("outer:\n  enabled: true\n  count: 3\n"));
}

TEST(OptionsAsMarkdown, ShowsDefaultsRangesAndChoices) {
  const std::string page = options_as_markdown(list_options(TestOptions()));

  EXPECT_THAT(page, HasSubstr("| `outer.count` | whole number | `3` | 1 to 10 | how many |"));
  EXPECT_THAT(
      page, HasSubstr("| `outer.inner.shape` | choice | `round` | round, flat | round \\| flat |"));
  EXPECT_THAT(page, HasSubstr("| `outer.files` | list of paths | `[]` |"));
}

TEST(EditDistance, CountsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("height", "height"), 0U);
  EXPECT_EQ(edit_distance("heigth", "height"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(FormatReal, ReadsBackToTheSameNumber) {
  EXPECT_EQ(format_real(0.1), "0.1");
  EXPECT_EQ(format_real(1e-6), "1e-06");
  EXPECT_EQ(std::stod(format_real(1.0 / 3.0)), 1.0 / 3.0);
}

}  // namespace
}  // namespace supn
