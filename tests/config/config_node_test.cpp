#include "supn/config/config_node.hpp"

#include <gmock/gmock.h>

#include "config/config_fixture.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ConfigNode parse(const std::string& text) { return parse_yaml(text, {"a.yaml", "/somewhere"}); }

std::string parsing_fault(const std::string& text) {
  return message_of<ConfigError>([&] { parse(text); });
}

TEST(ParseYaml, KeepsTextQuotesAndPlaces) {
  const ConfigNode root = parse("a: 1\nb:\n  c: \"true\"\n  d: [x, 'y']\ne:\n");

  ASSERT_EQ(root.kind, ConfigNode::Kind::kSection);
  EXPECT_EQ(root.find("a")->text, "1");
  EXPECT_FALSE(root.find("a")->quoted);
  EXPECT_EQ(root.find("b")->place, "a.yaml:2");
  EXPECT_TRUE(root.find("b")->find("c")->quoted);
  EXPECT_EQ(root.find("b")->find("d")->items.at(1).text, "y");
  EXPECT_EQ(root.find("b")->find("d")->place, "a.yaml:4");
  EXPECT_EQ(root.find("e")->kind, ConfigNode::Kind::kEmpty);
  EXPECT_EQ(root.find("missing"), nullptr);
}

TEST(ParseYaml, RefusesDuplicateKeys) {
  EXPECT_THAT(parsing_fault("a:\n  b: 1\n  c: 2\n  b: 3\n"),
              StartsWith("a.yaml:4: duplicate key 'b'"));
}

TEST(ParseYaml, RefusesWhatIsNotYaml) {
  EXPECT_THAT(parsing_fault("a: 1\nb: [1, 2\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(parsing_fault("a: 1\n\tb: 2\n"), StartsWith("a.yaml:2: not valid YAML"));
  EXPECT_THAT(parsing_fault(std::string("a: \0b\n", 6)), HasSubstr("zero byte"));
}

TEST(ParseYaml, RefusesAnchorsAliasesTagsAndSecondDocuments) {
  EXPECT_THAT(parsing_fault("a: &x 1\n"), StartsWith("a.yaml:1: anchors"));
  EXPECT_THAT(parsing_fault("a: &x [1]\nb: [*x, *x]\n"), HasSubstr("anchors"));
  EXPECT_THAT(parsing_fault("a: 1\nb: *x\n"), StartsWith("a.yaml:2:"));
  EXPECT_THAT(parsing_fault("a: !!int 1\n"), HasSubstr("tags"));
  EXPECT_THAT(parsing_fault("a: 1\n---\nb: 2\n"), HasSubstr("more than one YAML document"));
  EXPECT_THAT(parsing_fault("[1, 2]: 3\n"), HasSubstr("a key must be a name"));
}

TEST(ParseYaml, RefusesDeepNestingOfEveryKind) {
  std::string block;
  for (int i = 0; i < 40; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  const std::string compact_list = [] {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "- ";
    return text + "1\n";
  }();

  EXPECT_THAT(parsing_fault(std::string(100000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(parsing_fault(std::string(100000, '{')), HasSubstr("nested deeper"));
  EXPECT_THAT(parsing_fault(block + std::string(40, ' ') + "b: 1\n"), HasSubstr("nested deeper"));
  EXPECT_THAT(parsing_fault(compact_list), HasSubstr("nested deeper"));
}

TEST(ParseYaml, SurvivesEveryPrefixOfARealFile) {
  const std::string text =
      "# note\nbase: \"x.yaml\"\ndata: {root: 'a b', list: [1, 2.5, -3e-4]}\ntraining:\n  - a\n"
      "  - b: |\n      long\n      text\n  - >-\n    folded\nend: ~\n";
  int accepted = 0;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    try {
      parse(text.substr(0, length));
      ++accepted;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), StartsWith("a.yaml:"));
    }
  }
  EXPECT_GT(accepted, 10);
}

using ConfigTree = ConfigFiles;

TEST_F(ConfigTree, LaysAFileOverItsBases) {
  write("low.yaml", "data:\n  a: 1\n  list: [1, 2, 3]\nother:\n  b: low\n");
  write("sub/middle.yaml", "base: ../low.yaml\ndata:\n  a: 2\n  c: middle\n");
  const auto top = write("sub/top.yaml", "base: middle.yaml\ndata:\n  list: [9]\n");

  const ConfigNode tree = load_config_tree(top, {});

  const ConfigNode& data = *tree.find("data");
  EXPECT_EQ(data.find("a")->text, "2");
  EXPECT_EQ(data.find("a")->place, (folder_ / "sub/middle.yaml").string() + ":3");
  EXPECT_EQ(data.find("a")->directory, folder_ / "sub");
  EXPECT_EQ(data.find("c")->text, "middle");
  EXPECT_EQ(data.find("list")->items.size(), 1U);
  EXPECT_EQ(tree.find("other")->find("b")->text, "low");
  EXPECT_EQ(tree.find("base"), nullptr);
}

TEST_F(ConfigTree, RefusesBasesInACircle) {
  const auto a = write("a.yaml", "base: b.yaml\n");
  write("b.yaml", "base: ./a.yaml\n");
  const auto self = write("self.yaml", "base: self.yaml\n");

  EXPECT_THAT(message_of<ConfigError>([&] { load_config_tree(a, {}); }), HasSubstr("circle"));
  EXPECT_THAT(message_of<ConfigError>([&] { load_config_tree(self, {}); }), HasSubstr("circle"));
}

TEST_F(ConfigTree, NamesWhatIsWrongWithAFile) {
  const auto list = write("list.yaml", "- 1\n");
  const auto huge = write("huge.yaml", std::string((1U << 20U) + 1, '#'));
  const auto lost_base = write("lost.yaml", "base: nowhere.yaml\n");
  const auto bad_base = write("bad.yaml", "base: [a, b]\n");

  const auto load = [](const std::filesystem::path& file) { load_config_tree(file, {}); };
  EXPECT_THAT(message_of<IoError>([&] { load(folder_ / "none.yaml"); }), HasSubstr("not found"));
  EXPECT_THAT(message_of<IoError>([&] { load(folder_); }), HasSubstr("is not a file"));
  EXPECT_THAT(message_of<IoError>([&] { load(lost_base); }), HasSubstr("nowhere.yaml"));
  EXPECT_THAT(message_of<ConfigError>([&] { load(list); }), HasSubstr("expected sections"));
  EXPECT_THAT(message_of<ConfigError>([&] { load(huge); }), HasSubstr("1 MiB"));
  EXPECT_THAT(message_of<ConfigError>([&] { load(bad_base); }), HasSubstr("bad.yaml:1: base"));
}

TEST_F(ConfigTree, TakesAnEmptyFileAndOverrides) {
  const auto empty = write("empty.yaml", "# nothing\n");
  const std::vector<std::string> overrides = {
      "a.b.c=x=y: z", "a.list=[1, two]", "a.text=\"q\"", "a.none="};

  const ConfigNode tree = load_config_tree(empty, overrides);

  const ConfigNode& a = *tree.find("a");
  EXPECT_EQ(a.find("b")->find("c")->text, "x=y: z");
  EXPECT_EQ(a.find("b")->find("c")->place, "--set a.b.c=x=y: z");
  EXPECT_EQ(a.find("b")->find("c")->directory, std::filesystem::current_path());
  EXPECT_EQ(a.find("list")->items.at(1).text, "two");
  EXPECT_EQ(a.find("list")->items.at(1).place, "--set a.list=[1, two]");
  EXPECT_TRUE(a.find("text")->quoted);
  EXPECT_EQ(a.find("none")->text, "");
}

TEST_F(ConfigTree, RefusesOverridesWithoutKeyOrValue) {
  const auto file = write("a.yaml", "");
  for (const std::string text : {"a.b", "b=1", "=1", "a..b=1", ".a=1", "a.=1", ""}) {
    const std::vector<std::string> overrides = {text};
    EXPECT_THAT(message_of<ConfigError>([&] { load_config_tree(file, overrides); }),
                HasSubstr("expected section.key=value"))
        << text;
  }
  const std::vector<std::string> broken = {"a.b=[1"};
  EXPECT_THAT(message_of<ConfigError>([&] { load_config_tree(file, broken); }),
              StartsWith("--set a.b=[1"));
}

}  // namespace
}  // namespace supn
