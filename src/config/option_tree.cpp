#include "supn/config/option_tree.hpp"

#include <algorithm>

namespace supn {
namespace {

bool is_section(const OptionEntry& entry) { return entry.type.empty(); }

std::string_view last_name(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

// A vertical bar would end a table's cell.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string options_as_yaml(std::span<const OptionEntry> entries) {
  std::string text;
  for (const OptionEntry& entry : entries) {
    const auto depth = std::count(entry.key.begin(), entry.key.end(), '.');
    text += std::string(2 * static_cast<std::size_t>(depth), ' ');
    text += last_name(entry.key);
    text += is_section(entry) ? ":\n" : ": " + entry.value + "\n";
  }
  return text;
}

std::string options_as_markdown(std::span<const OptionEntry> entries) {
  std::string text;
  for (const OptionEntry& entry : entries) {
    if (is_section(entry)) {
      text += "\n## " + entry.key + "\n\n" + entry.doc + "\n\n";
      text += "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n";
      continue;
    }
    text += "| `" + entry.key + "` | " + entry.type + " | `" + cell(entry.value) + "` | " +
            cell(entry.allowed) + " | " + cell(entry.doc) + " |\n";
  }
  return text;
}

}  // namespace supn
