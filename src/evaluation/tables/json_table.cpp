#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "evaluation/tables/table_format.hpp"
#include "supn/evaluation/tables/table.hpp"
#include "supn/serialization/json.hpp"

namespace supn {
namespace {

Json json_row(const Table& table, const TableRow& row) {
  Json scores = Json::object();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!row.cells[c]) continue;
    const Summary& cell = *row.cells[c];
    scores[table.columns[c].key] = {{"mean", cell.mean}, {"std", cell.std}, {"images", cell.count}};
  }
  return {{"name", row.name}, {"scores", std::move(scores)}, {"warnings", row.warnings}};
}

}  // namespace

std::string json_table(const Table& table) {
  table_format::check_table(table);
  Json caption = Json::object();
  for (const auto& [name, value] : table.caption) caption[name] = value;
  Json rows = Json::array();
  for (const TableRow& row : table.rows) rows.push_back(json_row(table, row));
  return json_text(
             {{"title", table.title}, {"caption", std::move(caption)}, {"rows", std::move(rows)}}) +
         "\n";
}

}  // namespace supn
