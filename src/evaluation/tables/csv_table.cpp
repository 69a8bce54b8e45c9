#include <algorithm>
#include <cstddef>

#include "evaluation/tables/table_format.hpp"
#include "supn/evaluation/tables/table.hpp"

namespace supn {
namespace {

std::string optional_number(const std::optional<double>& value) {
  return value ? table_format::exact_number(*value) : std::string();
}

// Writes the values of every column; empty fields where there is none.
std::string csv_row(const TableRow& row) {
  std::vector<std::string> fields{csv_field(row.name)};
  std::int64_t images = 0;
  for (const std::optional<Summary>& cell : row.cells) {
    fields.push_back(optional_number(cell ? std::optional(cell->mean) : std::nullopt));
    fields.push_back(optional_number(cell ? std::optional(cell->std) : std::nullopt));
    if (cell) images = std::max(images, cell->count);
  }
  fields.push_back(std::to_string(images));
  fields.push_back(csv_field(table_format::joined(row.warnings, "; ")));
  return table_format::joined(fields, ",") + "\n";
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char c : text) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
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
