// These functions turn single values from their written form into their type and back. `key` is the
// full name, for messages; every fault is a ConfigError "<place>: <key>: <what was expected>, got
// <what came>".
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "supn/config/config_node.hpp"

namespace supn {

// Takes true or false, unquoted; not yes, on or 1.
bool read_bool(const ConfigNode& node, const std::string& key);
std::int64_t read_integer(const ConfigNode& node, const std::string& key);
// Takes a finite number; an integer will do.
double read_real(const ConfigNode& node, const std::string& key);
std::string read_text(const ConfigNode& node, const std::string& key);
// Returns an absolute path, or an empty one for "".
std::filesystem::path read_path(const ConfigNode& node, const std::string& key);
// The position of the value in `names`; the message lists them all.
std::size_t read_choice(const ConfigNode& node,
                        const std::string& key,
                        std::span<const std::string_view> names);
const std::vector<ConfigNode>& read_list(const ConfigNode& node, const std::string& key);

struct ValueRange {
  double minimum;
  double maximum;
};
void check_range(double value, ValueRange range, const ConfigNode& node, const std::string& key);
// "", ">= 1", "<= 2", "1 to 2"
std::string format_range(ValueRange range);

std::string format_bool(bool value);
std::string format_integer(std::int64_t value);
std::string format_real(double value);  // the shortest text that reads back to the same number
std::string format_text(std::string_view value);  // in double quotes, escaped

// Throws for the first key of `section` that is not in `names`, suggesting the nearest of them, or
// the key of that name in another section (`all_keys` are full names). prefix: "" or "data."
struct ValidKeys {
  std::span<const std::string> names;
  std::span<const std::string> all_keys;
};
void check_keys(const ConfigNode& section, const std::string& prefix, const ValidKeys& valid);

// Counts how many letters have to be changed, added, removed or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace supn
