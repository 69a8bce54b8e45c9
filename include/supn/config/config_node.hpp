// A configuration as written, before its options' types are known: scalars, lists and sections,
// each with the place that it comes from.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supn {

struct ConfigEntry;

struct ConfigNode {
  enum class Kind { kEmpty, kScalar, kList, kSection };

  Kind kind = Kind::kEmpty;  // kEmpty: a key without a value, or null
  std::string text;          // of a scalar
  bool quoted = false;       // "true" in quotes is a text, not a truth value
  std::vector<ConfigNode> items;
  std::vector<ConfigEntry> entries;  // of a section, keys are distinct
  std::string place;                 // "<file>:<line>" or "--set <override>"
  std::filesystem::path directory;   // what relative paths are relative to

  // nullptr where this section has no such key.
  const ConfigNode* find(std::string_view key) const;
};

struct ConfigEntry {
  std::string key;
  ConfigNode value;
};

struct ConfigSource {
  std::string name;                 // the file, as in error messages
  std::filesystem::path directory;  // absolute
};

// One YAML document of scalars, lists and sections. Throws ConfigError "<name>:<line>: ..." for
// invalid YAML, duplicate keys, anchors, aliases, tags, more than one document, nesting beyond 16.
ConfigNode parse_yaml(std::string_view text, const ConfigSource& source);

// Returns the file, and the `base` files below it. Throws as load_config_tree.
std::vector<std::filesystem::path> config_files(const std::filesystem::path& file);

// The file on top of its `base` files, the overrides "a.b=value" on top of both. Throws IoError for
// a file that cannot be read, ConfigError for more than 1 MiB, for bases in a circle, and as above.
ConfigNode load_config_tree(const std::filesystem::path& file,
                            std::span<const std::string> overrides);

}  // namespace supn
