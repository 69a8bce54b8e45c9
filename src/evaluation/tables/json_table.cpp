#include <cmath>
#include <cstddef>
#include <utility>

#include "evaluation/tables/table_format.hpp"
#include "supn/evaluation/tables/table.hpp"
#include "supn/serialization/json.hpp"

namespace supn {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json json_row(const Table& table, const TableRow& row) {
  Json::Object scores;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!row.cells[c]) continue;
    const Summary& cell = *row.cells[c];
    scores.emplace_back(
        table.columns[c].key,
        Json::Object{
            {"mean", number(cell.mean)}, {"std", number(cell.std)}, {"images", Json(cell.count)}});
  }
  Json::Array warnings;
  for (const std::string& warning : row.warnings) warnings.emplace_back(warning);
  return Json::Object{{"name", Json(row.name)},
                      {"scores", Json(std::move(scores))},
                      {"warnings", Json(std::move(warnings))}};
}

}  // namespace

std::string json_table(const Table& table) {
  table_format::check_table(table);
  Json::Object caption;
  for (const auto& [name, value] : table.caption) caption.emplace_back(name, Json(value));
  Json::Array rows;
  for (const TableRow& row : table.rows) rows.push_back(json_row(table, row));
  return Json(Json::Object{{"title", Json(table.title)},
                           {"caption", Json(std::move(caption))},
                           {"rows", Json(std::move(rows))}})
             .dump() +
         "\n";
}

}  // namespace supn
