#include <algorithm>
#include <cstddef>

#include "supn/evaluation/table.hpp"
#include "table_format.hpp"

namespace supn {
namespace {

// Values of every column; empty fields where there is none.
std::string csv_row(const TableRow& row) {
  std::string line = csv_field(row.name);
  std::int64_t images = 0;
  for (const std::optional<Summary>& cell : row.cells) {
    line += "," + (cell ? table_format::exact_number(cell->mean) : "");
    line += "," + (cell ? table_format::exact_number(cell->std) : "");
    if (cell) images = std::max(images, cell->count);
  }
  std::string warnings;
  for (const std::string& warning : row.warnings) {
    warnings += (warnings.empty() ? "" : "; ") + warning;
  }
  return line + "," + std::to_string(images) + "," + csv_field(warnings) + "\n";
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_table(const Table& table) {
  table_format::check_table(table);
  std::string text = "# " + table.title + "\n";
  for (const auto& [name, value] : table.caption) text += "# " + name + ": " + value + "\n";
  text += "model";
  for (const TableColumn& column : table.columns) {
    text += "," + csv_field(column.key) + "," + csv_field(column.key + "_std");
  }
  text += ",images,warnings\n";
  for (const TableRow& row : table.rows) text += csv_row(row);
  return text;
}

}  // namespace supn
