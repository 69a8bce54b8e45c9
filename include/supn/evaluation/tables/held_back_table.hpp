// Columns and rows of the table of how much known points help (condition_split.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supn/evaluation/depth/conditioning_rivals.hpp"
#include "supn/evaluation/depth/held_back.hpp"
#include "supn/evaluation/tables/score_table.hpp"
#include "supn/evaluation/tables/table.hpp"

namespace supn {

std::vector<TableColumn> held_back_columns();
std::vector<OverviewColumn> held_back_overview();

// Names scores by the columns' keys; intervals come only where there are some.
std::vector<NamedScore> named_held_back(const HeldBackScores& scores);

// "no points" or "25 points"; "25 points: <rival>".
std::string known_row_name(std::int64_t count);
std::string rival_row_name(std::int64_t count, Rival rival);

}  // namespace supn
