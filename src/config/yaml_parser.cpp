#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "supn/config/config_node.hpp"
#include "supn/errors.hpp"
#include "supn/excerpt.hpp"

namespace supn {
namespace {

constexpr std::size_t kMaxDepth = 16;

// Builds the tree from the parser's events instead of from YAML::Node, which keeps neither
// duplicate keys nor quotes.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const ConfigSource& source) : source_(source) {}

  ConfigNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(mark, node(mark, ConfigNode::Kind::kEmpty));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "aliases (*name) are not supported: write the value out, or use `base`");
  }

  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(mark, "tags (" + excerpt(tag) + ") are not supported");
    ConfigNode scalar = node(mark, ConfigNode::Kind::kScalar);
    scalar.text = value;
    scalar.quoted = tag == "!";
    add(mark, std::move(scalar));
  }

  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, ConfigNode::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, ConfigNode::Kind::kSection);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    ConfigNode node;
    YAML::Mark mark;
    bool has_key = false;
    std::string key;
    YAML::Mark key_mark;
    std::unordered_set<std::string> keys;  // all so far
  };

  std::string place(const YAML::Mark& mark) const {
    return source_.name + ":" + std::to_string(mark.line + 1);
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw ConfigError(place(mark) + ": " + message);
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) fail(mark, "anchors (&name) are not supported: write the value out");
  }

  ConfigNode node(const YAML::Mark& mark, ConfigNode::Kind kind) const {
    ConfigNode made;
    made.kind = kind;
    made.place = place(mark);
    made.directory = source_.directory;
    return made;
  }

  void open(const YAML::Mark& mark,
            const std::string& tag,
            YAML::anchor_t anchor,
            ConfigNode::Kind kind) {
    refuse_anchor(mark, anchor);
    if (!tag.empty() && tag != "?") fail(mark, "tags (" + excerpt(tag) + ") are not supported");
    if (stack_.size() >= kMaxDepth) {
      fail(mark, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
    stack_.push_back({node(mark, kind), mark, false, {}, {}, {}});
  }

  void close() {
    Level level = std::move(stack_.back());
    stack_.pop_back();
    add(level.mark, std::move(level.node));
  }

  void add(const YAML::Mark& mark, ConfigNode value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Level& parent = stack_.back();
    if (parent.node.kind == ConfigNode::Kind::kList) {
      parent.node.items.push_back(std::move(value));
    } else if (!parent.has_key) {
      begin_entry(parent, mark, value);
    } else {
      // The key's line is where a person looks; a section's own mark is its first key's.
      if (value.kind == ConfigNode::Kind::kSection) value.place = place(parent.key_mark);
      parent.node.entries.push_back({std::move(parent.key), std::move(value)});
      parent.has_key = false;
    }
  }

  void begin_entry(Level& parent, const YAML::Mark& mark, const ConfigNode& key) const {
    if (key.kind != ConfigNode::Kind::kScalar) fail(mark, "a key must be a name");
    if (!parent.keys.insert(key.text).second) {
      fail(
          mark,
          "duplicate key '" + excerpt(key.text) + "': it is set a second time in the same section");
    }
    parent.key = key.text;
    parent.key_mark = mark;
    parent.has_key = true;
  }

  const ConfigSource& source_;
  ConfigNode root_;
  std::vector<Level> stack_;
};

}  // namespace

ConfigNode parse_yaml(std::string_view text, const ConfigSource& source) {
  if (text.find('\0') != std::string_view::npos) {
    throw ConfigError(source.name + ":1: not a text file (holds a zero byte); expected YAML");
  }
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(source);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    TreeBuilder rest(source);
    if (parser.HandleNextDocument(rest)) {
      throw ConfigError(source.name + ": holds more than one YAML document; expected one");
    }
  } catch (const YAML::Exception& error) {
    throw ConfigError(source.name + ":" + std::to_string(std::max(0, error.mark.line) + 1) +
                      ": not valid YAML: " + excerpt(error.msg, 200));
  }
  return builder.take_root();
}

}  // namespace supn
