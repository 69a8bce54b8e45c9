#include "evaluation/tables/table_format.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace supn::table_format {
namespace {

std::string print(const char* format, int digits, double value) {
  char text[512];
  std::snprintf(text, sizeof text, format, digits, value);
  return text;
}

}  // namespace

void check_table(const Table& table) {
  for (const TableRow& row : table.rows) {
    TORCH_CHECK(row.cells.size() == table.columns.size(),
                "table: expected ",
                table.columns.size(),
                " cells in row ",
                row.name,
                ", got ",
                row.cells.size());
  }
}

std::string fixed_number(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  // Exploded spreads reach 1e15; as a fixed number they would tear the table apart.
  if (digits >= 0 && std::abs(value) < 1e7) return print("%.*f", digits, value);
  return print("%.*e", digits >= 0 ? digits : -digits - 1, value);
}

std::string exact_number(double value) {
  if (!std::isfinite(value)) return fixed_number(value, 0);
  return print("%.*g", 17, value);
}

std::string short_number(double value) { return print("%.*g", 9, value); }

std::vector<ColumnGroup> column_groups(const Table& table) {
  std::vector<ColumnGroup> groups;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool used = std::any_of(table.rows.begin(), table.rows.end(), [c](const TableRow& row) {
      return row.cells[c].has_value();
    });
    if (!used) continue;
    const std::string& name = table.columns[c].group;
    auto group = std::find_if(
        groups.begin(), groups.end(), [&](const ColumnGroup& g) { return g.name == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->columns.push_back(c);
  }
  return groups;
}

std::string cell_text(const std::optional<Summary>& cell, const TableColumn& column) {
  if (!cell) return "-";
  return fixed_number(cell->mean, column.digits) + " (" + fixed_number(cell->std, column.digits) +
         ")";
}

std::string joined(const std::vector<std::string>& items, const std::string& separator) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += separator;
    text += items[i];
  }
  return text;
}

bool has_values(const TableRow& row, const ColumnGroup& group) {
  return std::any_of(group.columns.begin(), group.columns.end(), [&](std::size_t c) {
    return row.cells[c].has_value();
  });
}

}  // namespace supn::table_format
