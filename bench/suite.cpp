#include "suite.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "peak_memory.hpp"
#include "report.hpp"

namespace supn::bench {
namespace {

constexpr double kMegabyte = 1e6;

Budget budget(Extent extent) {
  return extent == Extent::kQuick ? Budget{1.0, 3, 31} : Budget{8.0, 5, 101};
}

Budget curve_budget(Extent extent) {
  return extent == Extent::kQuick ? Budget{0.2, 2, 7} : Budget{1.0, 3, 21};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void fill_targets(Row& row) {
  for (Target& target : row.targets) {
    if (target.quantity == "ratio") target.measured = row.times->ratio.median;
    if (target.quantity == "ms") target.measured = 1e3 * row.times->ours.median;
    if (target.quantity == "memory ratio") {
      target.measured = *row.memory->of_peer / row.memory->ours;
    }
    if (target.quantity == "extra MB") target.measured = row.memory->ours / kMegabyte;
  }
}

}  // namespace

Suite::Suite(SuiteOptions options)
    : options_(std::move(options)),
      one_thread_(measure_limits(1)),
      all_threads_(options_.threads == 1 ? one_thread_ : measure_limits(options_.threads)) {}

const MachineLimits& Suite::limits(int threads) const {
  return threads == 1 ? one_thread_ : all_threads_;
}

bool Suite::agree(Contest& contest) const {
  const std::vector<at::Tensor> ours = contest.ours.answer();
  Row& row = contest.row;
  for (const Competitor& peer : contest.peers) {
    row.difference = std::max(row.difference, disagreement(ours, peer.answer()));
    if (row.difference <= row.tolerance) continue;
    std::ostringstream reason;
    reason << "answers differ by " << row.difference << " > " << row.tolerance;
    row.refused = reason.str();
    return false;
  }
  return true;
}

void Suite::compete(Contest contest) {
  Row& row = contest.row;
  const ThreadScope threads(row.threads);
  row.ours = contest.ours.name;
  row.peer = contest.peers.empty() ? "" : contest.peers.front().name;
  try {
    if (agree(contest)) {
      const Competitor peer = fastest(contest.peers);
      row.peer = peer.name;
      row.peer_settings = peer.settings;
      row.times = time_pairs(contest.ours, peer, budget(options_.extent));
      if (contest.work.dram_bytes > 0) {
        row.limit =
            limit_share(contest.work, limits(row.threads), row.dtype, row.times->ours.median);
      }
    }
  } catch (const std::exception& error) {
    row.refused = first_line(error.what());
  }
  if (row.times) fill_targets(row);
  finish(std::move(row));
}

void Suite::measure_memory(Row row, const std::function<void()>& work, double output_bytes) {
  const ThreadScope threads(row.threads);
  try {
    work();  // what is set up once for the process is not this work's
    row.memory = PeakMemory{std::max(0.0, peak_memory_growth(work) - output_bytes), {}};
    fill_targets(row);
  } catch (const std::exception& error) {
    row.refused = first_line(error.what());
  }
  finish(std::move(row));
}

void Suite::compare_memory(Contest contest) {
  Row& row = contest.row;
  const ThreadScope threads(row.threads);
  row.ours = contest.ours.name;
  row.peer = contest.peers.front().name;
  row.peer_settings = contest.peers.front().settings;
  try {
    if (agree(contest)) {
      const double ours = peak_memory_growth([&] { contest.ours.seconds(); });
      row.memory = PeakMemory{ours, peak_memory_growth([&] { contest.peers.front().seconds(); })};
      fill_targets(row);
    }
  } catch (const std::exception& error) {
    row.refused = first_line(error.what());
  }
  finish(std::move(row));
}

void Suite::refuse(Row row, const std::string& reason) {
  row.refused = first_line(reason);
  finish(std::move(row));
}

void Suite::add_point(std::string panel, double x, const Competitor& competitor) {
  const ThreadScope threads(options_.threads);
  try {
    competitor.seconds();
    points_.push_back({std::move(panel),
                       competitor.name,
                       x,
                       time_alone(competitor, curve_budget(options_.extent))});
    std::cout << curve_line(points_.back()) << std::endl;
  } catch (const std::exception& error) {
    std::cout << "no point for " << competitor.name << ": " << first_line(error.what())
              << std::endl;
  }
}

void Suite::finish(Row row) {
  std::cout << table_line(row) << std::endl;
  rows_.push_back(std::move(row));
}

}  // namespace supn::bench
