#include <c10/util/Exception.h>

#include <algorithm>
#include <cstddef>

#include "evaluation/tables/table_format.hpp"
#include "supn/evaluation/tables/table.hpp"
#include "supn/utf8.hpp"

namespace supn {
namespace {

constexpr std::size_t kGap = 2;

std::string marked_name(const TableRow& row) {
  return row.warnings.empty() ? row.name : row.name + " !";
}

using Line = std::vector<std::string>;

// The first column is flush left, the others flush right.
std::string aligned(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(line[c]));
    }
  }
  std::string text;
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string padding(widths[c] - display_width(line[c]), ' ');
      text += c == 0 ? line[c] + padding : std::string(kGap, ' ') + padding + line[c];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

std::string block(const Table& table, const table_format::ColumnGroup& group) {
  std::vector<Line> lines(1, Line{"model"});
  for (const std::size_t c : group.columns) lines[0].push_back(table.columns[c].heading);
  for (const TableRow& row : table.rows) {
    if (!table_format::has_values(row, group)) continue;
    Line line{marked_name(row)};
    for (const std::size_t c : group.columns) {
      line.push_back(table_format::cell_text(row.cells[c], table.columns[c]));
    }
    lines.push_back(std::move(line));
  }
  return group.name + "\n" + aligned(lines) + "\n";
}

std::size_t column_of(const Table& table, const OverviewColumn& wanted) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].key == wanted.key) return c;
  }
  TORCH_CHECK(false, "text_table: the overview names no column: ", wanted.key);
}

std::string mean_text(const std::optional<Summary>& cell, const TableColumn& column) {
  return cell ? table_format::fixed_number(cell->mean, column.digits) : "-";
}

// Means alone, below what would be best.
std::string overview(const Table& table) {
  std::vector<Line> lines{Line{"model"}, Line{"ideal"}};
  for (const TableRow& row : table.rows) lines.push_back({marked_name(row)});
  for (const OverviewColumn& shown : table.overview) {
    const std::size_t c = column_of(table, shown);
    lines[0].push_back(shown.heading);
    lines[1].push_back(shown.ideal);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      lines[r + 2].push_back(mean_text(table.rows[r].cells[c], table.columns[c]));
    }
  }
  std::string text = aligned(lines) + "\n";
  for (const TableRow& row : table.rows) {
    if (!row.verdict.empty()) text += row.name + ": " + row.verdict + "\n";
  }
  return text;
}

std::string warnings(const Table& table) {
  std::string text;
  for (const TableRow& row : table.rows) {
    for (const std::string& warning : row.warnings) text += "! " + row.name + ": " + warning + "\n";
  }
  return text;
}

}  // namespace

std::string text_table(const Table& table) {
  table_format::check_table(table);
  std::string text = table.title + "\n\n";
  const bool has_overview = !table.overview.empty();
  if (has_overview) text += overview(table) + warnings(table) + "\n";
  for (const auto& group : table_format::column_groups(table)) text += block(table, group);
  if (!has_overview) text += warnings(table);
  for (const auto& [name, value] : table.caption) text += name + ": " + value + "\n";
  return text;
}

}  // namespace supn
