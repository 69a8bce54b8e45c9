#include <cmath>
#include <cstddef>
#include <cstdio>

#include "supn/evaluation/table.hpp"
#include "table_format.hpp"

namespace supn {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += std::string("\\") + c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string number(double value) {
  return std::isfinite(value) ? table_format::exact_number(value) : "null";
}

std::string joined(const std::vector<std::string>& items, const std::string& separator) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : separator) + item;
  return text;
}

std::string json_row(const Table& table, const TableRow& row) {
  std::vector<std::string> scores;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!row.cells[c]) continue;
    const Summary& cell = *row.cells[c];
    scores.push_back("        " + quoted(table.columns[c].key) +
                     ": {\"mean\": " + number(cell.mean) + ", \"std\": " + number(cell.std) +
                     ", \"images\": " + std::to_string(cell.count) + "}");
  }
  std::vector<std::string> warnings;
  for (const std::string& warning : row.warnings) warnings.push_back(quoted(warning));
  return "    {\n      \"name\": " + quoted(row.name) + ",\n      \"scores\": {\n" +
         joined(scores, ",\n") + "\n      },\n      \"warnings\": [" + joined(warnings, ", ") +
         "]\n    }";
}

}  // namespace

std::string json_table(const Table& table) {
  table_format::check_table(table);
  std::vector<std::string> caption;
  for (const auto& [name, value] : table.caption) {
    caption.push_back("    " + quoted(name) + ": " + quoted(value));
  }
  std::vector<std::string> rows;
  for (const TableRow& row : table.rows) rows.push_back(json_row(table, row));
  return "{\n  \"title\": " + quoted(table.title) + ",\n  \"caption\": {\n" +
         joined(caption, ",\n") + "\n  },\n  \"rows\": [\n" + joined(rows, ",\n") + "\n  ]\n}\n";
}

}  // namespace supn
