// An overview tells the reader of a table first what matters most: eight columns with their
// direction and ideal, and a sentence of verdict for each row.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "supn/evaluation/tables/score_sheet.hpp"
#include "supn/evaluation/tables/table.hpp"

namespace supn {

// Returns those of score_columns() to begin with.
std::vector<OverviewColumn> score_overview();

// "spread 1.7 × the members' distance from its mean: too wide; its uncertainty finds errors better
// than chance"; empty for a row that has neither figure.
std::string verdict(const TableRow& row, const std::vector<TableColumn>& columns);

// "beyond distance: logit 0.0214 (0.0150 to 0.0280); in sigmoid space it knows no more than
// distance": AURG of AbsRel of a row minus that of the predicted depth itself as uncertainty,
// paired over images. Empty where one of them has none.
std::string beyond_distance(const ScoreSheet& sheet,
                            const std::string& row,
                            const std::string& distance_row);

// "AbsRel against interpolation of log depth: -0.0123 (-0.0150 to -0.0090); ...", paired.
std::string against_others(const ScoreSheet& sheet,
                           const std::string& row,
                           const std::vector<std::pair<std::string, std::string>>& others);

}  // namespace supn
