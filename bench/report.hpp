// The results as text, JSON and CSV.
#pragma once

#include <filesystem>
#include <string>

#include "machine.hpp"
#include "row.hpp"
#include "suite.hpp"

namespace supn::bench {

// What is known of a run beside its rows.
struct RunRecord {
  std::string version;  // of the product, with its commit
  std::string date;     // UTC, ISO 8601
  Extent extent = Extent::kFull;
  int threads = 1;
  Machine machine;
  double load_before = 0;
  double load_after = 0;
  double seconds = 0;
};

std::string run_header(const RunRecord& record, const Suite& suite);
std::string table_header();
// One row without a line break, whatever became of it.
std::string table_line(const Row& row);
std::string curve_line(const CurvePoint& point);
// How many targets were met, missed, and not measured because their row was refused; each miss by
// name.
std::string target_summary(const std::vector<Row>& rows);

// Seconds per unit, bytes, relative differences; null where nothing was measured.
void write_json(const std::filesystem::path& path, const RunRecord& record, const Suite& suite);

// The rows alone, a line each, quoted where a field has commas.
void write_csv(const std::filesystem::path& path, const std::vector<Row>& rows);

}  // namespace supn::bench
