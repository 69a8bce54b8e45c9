// Runs contests and keeps their rows: agreement first, then the race.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "competitor.hpp"
#include "machine.hpp"
#include "peers/peer_process.hpp"
#include "row.hpp"

namespace supn::bench {

enum class Extent { kQuick, kFull };

struct SuiteOptions {
  Extent extent = Extent::kFull;
  int threads = 1;    // of rows that don't say another number
  PeerCommand scipy;  // no words: no SciPy rows
  PeerCommand cholmod;
};

struct Contest {
  Row row;  // description, tolerance and, with bounds only, targets
  Competitor ours;
  std::vector<Competitor> peers;  // ways of one library; the fastest is raced
  Work work;
};

// One measured point of a curve: how cost grows.
struct CurvePoint {
  std::string panel;  // pixels, samples, known, threads, radius
  std::string line;
  double x = 0;
  Spread seconds;
};

class Suite {
 public:
  explicit Suite(SuiteOptions options);

  // Adds a row. Where an answer of the peers differs from ours by more than row.tolerance, is not
  // finite, or cannot be had, the row says so and nothing is timed. Prints the row.
  void compete(Contest contest);

  // Ours alone against a bound on its memory.
  void measure_memory(Row row, const std::function<void()>& work, double output_bytes);

  // Agreement as in compete, then peak memory of both instead of times.
  void compare_memory(Contest contest);

  // Adds a row of which nothing can be measured.
  void refuse(Row row, const std::string& reason);

  void add_point(std::string panel, double x, const Competitor& competitor);

  const SuiteOptions& options() const { return options_; }
  bool quick() const { return options_.extent == Extent::kQuick; }
  const MachineLimits& limits(int threads) const;
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<CurvePoint>& points() const { return points_; }

 private:
  bool agree(Contest& contest) const;
  void finish(Row row);

  SuiteOptions options_;
  MachineLimits one_thread_;
  MachineLimits all_threads_;
  std::vector<Row> rows_;
  std::vector<CurvePoint> points_;
};

}  // namespace supn::bench
