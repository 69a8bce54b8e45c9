// A table of results has one row per model and is written as text, CSV, JSON and LaTeX. Cells hold
// mean and standard deviation over images; the caption says under which protocol.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "supn/evaluation/scores/summary.hpp"

namespace supn {

struct TableColumn {
  std::string key;      // "abs_rel": of CSV and JSON
  std::string heading;  // "AbsRel"
  std::string group;    // "Accuracy of the mean": text and LaTeX print one block per group
  int digits = 4;       // after the point; negative = significant digits in scientific notation
};

// A column once more, in the short table at the top of the text.
struct OverviewColumn {
  std::string key;      // of a column
  std::string heading;  // with an arrow: ↓ low is good, ↑ high is, → there is a right value
  std::string ideal;
};

struct TableRow {
  std::string name;
  std::vector<std::optional<Summary>> cells;  // one per column
  std::vector<std::string> warnings;
  std::string verdict = {};  // a sentence below the overview, or empty
};

struct Table {
  std::string title;
  std::vector<std::pair<std::string, std::string>> caption;  // {"protocol", "eigen, ..."}, ...
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  std::vector<OverviewColumn> overview = {};
};

// The overview and the verdicts first, means alone, then a block for each group. Rows with a
// warning are marked with "!", and the warnings follow the verdicts (without an overview: the
// blocks). Groups and columns without any value are left out. All throw c10::Error if a row has not
// one cell per column.
std::string text_table(const Table& table);
// A line per row: name, then <key> and <key>_std per column, then images (largest count), warnings.
// The caption precedes as lines that start with "#".
std::string csv_table(const Table& table);
// {"title", "caption": {..}, "rows": [{"name", "scores": {key: {"mean", "std", "images"}},
// "warnings"}]}. Values that are not finite are null.
std::string json_table(const Table& table);
// A table environment with booktabs rules per group, the caption below it.
std::string latex_table(const Table& table);

// One CSV field, quoted where it must be.
std::string csv_field(const std::string& text);

}  // namespace supn
