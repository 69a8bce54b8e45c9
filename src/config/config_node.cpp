#include "supn/config/config_node.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "supn/config/option_values.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

constexpr std::uintmax_t kMaxBytes = std::uintmax_t{1} << 20;
constexpr std::string_view kBaseKey = "base";

std::string read_text_file(const std::filesystem::path& file) {
  if (!is_there(file)) {
    throw IoError(file, "configuration file not found; check the path given by --config or `base`");
  }
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    throw IoError(file, "is not a file; expected a YAML configuration file");
  }
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  if (!error && bytes > kMaxBytes) {
    throw ConfigError(file.string() + ": larger than 1 MiB, so not a configuration file of ours");
  }
  return bytes == 0 ? std::string() : read_text(file, kMaxBytes);
}

// Lays `top` over `below`: sections key by key, everything else as a whole.
void overlay(ConfigNode& below, ConfigNode top) {
  const auto section = ConfigNode::Kind::kSection;
  if (below.kind != section || top.kind != section) {
    below = std::move(top);
    return;
  }
  for (ConfigEntry& entry : top.entries) {
    const auto same = std::find_if(below.entries.begin(),
                                   below.entries.end(),
                                   [&](const ConfigEntry& e) { return e.key == entry.key; });
    if (same == below.entries.end()) {
      below.entries.push_back(std::move(entry));
    } else {
      overlay(same->value, std::move(entry.value));
    }
  }
}

struct ConfigFile {
  ConfigNode tree;             // without its `base` entry
  std::filesystem::path base;  // empty = none
};

ConfigFile read_one(const std::filesystem::path& file) {
  const auto directory = std::filesystem::absolute(file).parent_path();
  ConfigFile read;
  read.tree = parse_yaml(read_text_file(file), {file.string(), directory});
  if (read.tree.kind == ConfigNode::Kind::kEmpty) {  // nothing but comments
    read.tree.kind = ConfigNode::Kind::kSection;
    read.tree.place = file.string() + ":1";
    read.tree.directory = directory;
  }
  if (read.tree.kind != ConfigNode::Kind::kSection) {
    throw ConfigError(read.tree.place + ": expected sections (`data:`, `network:`, ...)");
  }
  const ConfigNode* entry = read.tree.find(kBaseKey);
  if (entry != nullptr) {
    if (entry->kind != ConfigNode::Kind::kScalar || entry->text.empty()) {
      throw ConfigError(entry->place + ": base: expected the path of one configuration file");
    }
    read.base = read_path(*entry, "base");
    std::erase_if(read.tree.entries, [](const ConfigEntry& e) { return e.key == kBaseKey; });
  }
  return read;
}

struct ConfigFiles {
  ConfigNode tree;
  std::vector<std::filesystem::path> files;
};

ConfigFiles load_with_bases(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> seen = {std::filesystem::absolute(file).lexically_normal()};
  ConfigFile top = read_one(file);
  while (!top.base.empty()) {
    const std::filesystem::path base = top.base;
    std::error_code ignored;
    const auto is_base = [&](const std::filesystem::path& p) {
      return p == base || std::filesystem::equivalent(p, base, ignored);
    };
    if (std::any_of(seen.begin(), seen.end(), is_base)) {
      throw ConfigError(seen.back().string() + ": base: " + base.string() +
                        " is already below this file: the bases form a circle");
    }
    seen.push_back(base);
    ConfigFile below = read_one(base);
    overlay(below.tree, std::move(top.tree));
    top = std::move(below);
  }
  return {std::move(top.tree), std::move(seen)};
}

ConfigNode override_value(const std::string& value, const ConfigSource& source) {
  const bool is_yaml = !value.empty() && (value.front() == '[' || value.front() == '"' ||
                                          value.front() == '\'' || value.front() == '{');
  if (is_yaml) {
    try {
      return parse_yaml(value, source);
    } catch (const ConfigError& error) {
      throw ConfigError(std::string(error.what()) + " (the value is read as YAML)");
    }
  }
  // Taken as it is: a path may hold what YAML would not take unquoted.
  ConfigNode scalar;
  scalar.kind = ConfigNode::Kind::kScalar;
  scalar.text = value;
  scalar.quoted = value.empty();
  return scalar;
}

void set_place(ConfigNode& node, const std::string& place) {
  node.place = place;
  for (ConfigNode& item : node.items) set_place(item, place);
  for (ConfigEntry& entry : node.entries) set_place(entry.value, place);
}

ConfigNode parse_override(const std::string& text) {
  const std::string place = "--set " + text;
  const std::size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  const bool has_gap = key.find("..") != std::string::npos;
  if (equals == std::string::npos || key.find('.') == std::string::npos || has_gap ||
      key.front() == '.' || key.back() == '.') {
    throw ConfigError(place + ": expected section.key=value, for example training.epochs=4");
  }
  const auto directory = std::filesystem::current_path();
  ConfigNode node = override_value(text.substr(equals + 1), {place, directory});
  node.directory = directory;
  for (std::size_t end = key.size(); end != std::string::npos;) {
    const std::size_t dot = end == 0 ? std::string::npos : key.rfind('.', end - 1);
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    ConfigNode parent;
    parent.kind = ConfigNode::Kind::kSection;
    parent.directory = directory;
    parent.entries.push_back({key.substr(begin, end - begin), std::move(node)});
    node = std::move(parent);
    end = dot;
  }
  set_place(node, place);
  return node;
}

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
  for (const ConfigEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

std::vector<std::filesystem::path> config_files(const std::filesystem::path& file) {
  return load_with_bases(file).files;
}

ConfigNode load_config_tree(const std::filesystem::path& file,
                            std::span<const std::string> overrides) {
  ConfigNode tree = load_with_bases(file).tree;
  for (const std::string& text : overrides) overlay(tree, parse_override(text));
  return tree;
}

}  // namespace supn
