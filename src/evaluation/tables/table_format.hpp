// The writers of table.hpp share these functions.
#pragma once

#include <string>
#include <vector>

#include "supn/evaluation/tables/table.hpp"

namespace supn::table_format {

// Throws c10::Error if a row has not one cell per column.
void check_table(const Table& table);

// digits as in TableColumn; "nan", "inf" and "-inf" as such.
std::string fixed_number(double value, int digits);
// 17 significant digits, which read back as the same double.
std::string exact_number(double value);
// Writes 9 significant digits.
std::string short_number(double value);

// Columns of one group that hold a value in any row, by their indices in Table::columns.
struct ColumnGroup {
  std::string name;
  std::vector<std::size_t> columns;
};
std::vector<ColumnGroup> column_groups(const Table& table);

// "0.1278 (0.0312)", "-" for no value.
std::string cell_text(const std::optional<Summary>& cell, const TableColumn& column);

std::string joined(const std::vector<std::string>& items, const std::string& separator);

// Tells whether the row has a value in the group.
bool has_values(const TableRow& row, const ColumnGroup& group);

}  // namespace supn::table_format
