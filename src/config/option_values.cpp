#include "supn/config/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/parse_number.hpp"
#include "supn/serialization/user_path.hpp"

namespace supn {
namespace {

std::string describe(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kEmpty:
      return "nothing";
    case ConfigNode::Kind::kList:
      return "a list";
    case ConfigNode::Kind::kSection:
      return "a section";
    case ConfigNode::Kind::kScalar:
      break;
  }
  const std::string text = excerpt(node.text);
  return node.quoted ? "the text \"" + text + "\"" : "'" + text + "'";
}

[[noreturn]] void fail(const ConfigNode& node,
                       const std::string& key,
                       const std::string& expected) {
  throw ConfigError(node.place + ": " + key + ": expected " + expected + ", got " + describe(node));
}

const std::string& plain_scalar(const ConfigNode& node,
                                const std::string& key,
                                const std::string& expected) {
  if (node.kind != ConfigNode::Kind::kScalar || node.quoted) fail(node, key, expected);
  return node.text;
}

std::string join(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string suggestion(const std::string& key, const std::string& prefix, const ValidKeys& valid) {
  const auto distance = [&](const std::string& name) { return edit_distance(key, name); };
  const auto nearest = std::min_element(
      valid.names.begin(), valid.names.end(), [&](const std::string& a, const std::string& b) {
        return distance(a) < distance(b);
      });
  const std::size_t near_enough = std::max<std::size_t>(2, key.size() / 3);
  const bool is_near = nearest != valid.names.end() && distance(*nearest) <= near_enough;
  for (const std::string& full : valid.all_keys) {
    const bool same_name = full.ends_with("." + key);
    if (same_name && (!is_near || distance(*nearest) > 1)) return "did you mean " + full + "?";
  }
  if (is_near) return "did you mean " + prefix + *nearest + "?";
  std::vector<std::string_view> names(valid.names.begin(), valid.names.end());
  return "valid here: " + join(names);
}

}  // namespace

bool read_bool(const ConfigNode& node, const std::string& key) {
  const std::string expected = "true or false";
  const std::string& text = plain_scalar(node, key, expected);
  if (text != "true" && text != "false") fail(node, key, expected);
  return text == "true";
}

std::int64_t read_integer(const ConfigNode& node, const std::string& key) {
  const std::string expected = "a whole number";
  const std::string& text = plain_scalar(node, key, expected);
  const auto parsed = parse_number<std::int64_t>(text);
  if (parsed.error == std::errc::result_out_of_range) fail(node, key, expected + " of 64 bits");
  if (!parsed) fail(node, key, expected);
  return parsed.value;
}

double read_real(const ConfigNode& node, const std::string& key) {
  const std::string expected = "a number";
  const std::string& text = plain_scalar(node, key, expected);
  const auto parsed = parse_number<double>(text);
  if (!parsed || !std::isfinite(parsed.value)) fail(node, key, expected);
  return parsed.value;
}

std::string read_text(const ConfigNode& node, const std::string& key) {
  if (node.kind != ConfigNode::Kind::kScalar) fail(node, key, "a text (\"\" for none)");
  return node.text;
}

std::filesystem::path read_path(const ConfigNode& node, const std::string& key) {
  if (node.kind != ConfigNode::Kind::kScalar) fail(node, key, "a path (\"\" for none)");
  if (node.text.empty()) return {};
  try {
    return (node.directory / expanded_path(node.text)).lexically_normal();
  } catch (const ConfigError& error) {
    throw ConfigError(node.place + ": " + key + ": " + error.what());
  }
}

std::size_t read_choice(const ConfigNode& node,
                        const std::string& key,
                        std::span<const std::string_view> names) {
  if (node.kind != ConfigNode::Kind::kScalar) fail(node, key, join(names));
  const auto found = std::find(names.begin(), names.end(), node.text);
  if (found == names.end()) fail(node, key, join(names));
  return static_cast<std::size_t>(found - names.begin());
}

const std::vector<ConfigNode>& read_list(const ConfigNode& node, const std::string& key) {
  if (node.kind != ConfigNode::Kind::kList) fail(node, key, "a list [a, b]");
  return node.items;
}

void check_range(double value, ValueRange range, const ConfigNode& node, const std::string& key) {
  if (value < range.minimum || value > range.maximum) fail(node, key, format_range(range));
}

std::string format_range(ValueRange range) {
  const bool from = std::isfinite(range.minimum);
  const bool to = std::isfinite(range.maximum);
  if (from && to) return format_real(range.minimum) + " to " + format_real(range.maximum);
  if (from) return ">= " + format_real(range.minimum);
  if (to) return "<= " + format_real(range.maximum);
  return "";
}

std::string format_bool(bool value) { return value ? "true" : "false"; }

std::string format_integer(std::int64_t value) { return std::to_string(value); }

std::string format_real(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

std::string format_text(std::string_view value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      text += "\\x";
      text += kHex[byte >> 4U];
      text += kHex[byte & 0xfU];
    } else {
      text += c;
    }
  }
  return text + "\"";
}

void check_keys(const ConfigNode& section, const std::string& prefix, const ValidKeys& valid) {
  for (const ConfigEntry& entry : section.entries) {
    const bool known =
        std::find(valid.names.begin(), valid.names.end(), entry.key) != valid.names.end();
    if (!known) {
      throw ConfigError(entry.value.place + ": " + prefix + excerpt(entry.key) + ": unknown key, " +
                        suggestion(entry.key, prefix, valid));
    }
  }
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace supn
