// What a reader of a table wants to know first: eight columns with their direction and ideal, and a
// sentence of verdict for each row.
#pragma once

#include <string>
#include <vector>

#include "supn/evaluation/table.hpp"

namespace supn {

// Those of score_columns() to begin with.
std::vector<OverviewColumn> score_overview();

// "spread 1.7 × the members': too wide; its uncertainty finds errors better than chance"; empty for
// a row that has neither figure.
std::string verdict(const TableRow& row, const std::vector<TableColumn>& columns);

}  // namespace supn
