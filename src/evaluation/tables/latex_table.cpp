#include <cstddef>
#include <string_view>

#include "evaluation/tables/table_format.hpp"
#include "supn/evaluation/tables/table.hpp"

namespace supn {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '~':
        result += "\\textasciitilde{}";
        break;
      case '^':
        result += "\\textasciicircum{}";
        break;
      case '<':
        result += "$<$";
        break;
      case '>':
        result += "$>$";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        result += std::string("\\") + c;
        break;
      default:
        result += c;
    }
  }
  return result;
}

// A leading brace group keeps LaTeX from reading a row that starts with "[" as an argument of \\.
constexpr std::string_view kRowEnd = " \\\\\n";

std::string tabular(const Table& table, const table_format::ColumnGroup& group) {
  std::string text = "\\textit{" + escaped(group.name) + "}\\\\[2pt]\n\\begin{tabular}{l" +
                     std::string(group.columns.size(), 'r') + "}\n\\toprule\nmodel";
  for (const std::size_t c : group.columns) text += " & " + escaped(table.columns[c].heading);
  text += std::string(kRowEnd) + "\\midrule\n";
  for (const TableRow& row : table.rows) {
    if (!table_format::has_values(row, group)) continue;
    text += "{}" + escaped(row.name) + (row.warnings.empty() ? "" : "$^{!}$");
    for (const std::size_t c : group.columns) {
      text += " & " + escaped(table_format::cell_text(row.cells[c], table.columns[c]));
    }
    text += kRowEnd;
  }
  return text + "\\bottomrule\n\\end{tabular}\\\\[6pt]\n";
}

}  // namespace

std::string latex_table(const Table& table) {
  table_format::check_table(table);
  std::string text = "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\\small\n";
  for (const auto& group : table_format::column_groups(table)) text += tabular(table, group);
  text += "\\caption{" + escaped(table.title) + ".";
  for (const auto& [name, value] : table.caption) {
    text += "\n" + escaped(name) + ": " + escaped(value) + ".";
  }
  for (const TableRow& row : table.rows) {
    for (const std::string& warning : row.warnings) {
      text += "\n$^{!}$" + escaped(row.name) + ": " + escaped(warning) + ".";
    }
  }
  return text + "}\n\\end{table}\n";
}

}  // namespace supn
