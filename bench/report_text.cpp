#include <cmath>
#include <cstdio>
#include <sstream>

#include "report.hpp"

namespace supn::bench {
namespace {

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

// Three significant digits without an exponent, as far as that is readable.
std::string digits3(double value) {
  if (!std::isfinite(value)) return "-";
  if (value >= 100) return formatted("%.0f", value);
  if (value >= 10) return formatted("%.1f", value);
  if (value >= 0.1) return formatted("%.2f", value);
  return formatted("%.2g", value);
}

std::string count_text(const Row& row) {
  return row.known > 0 ? "K=" + std::to_string(row.known) : "S=" + std::to_string(row.samples);
}

std::string target_text(const Target& target) {
  const char* comparison = target.comparison == Comparison::kAtLeast ? ">=" : "<=";
  return target.quantity + " " + comparison + " " + digits3(target.bound) + ": " +
         (target.met() ? "met" : "MISSED (" + digits3(target.measured) + ")");
}

std::string times_text(const PairedTimes& times) {
  return formatted("%9s %9s  %7s [%s, %s] n=%lld",
                   digits3(1e3 * times.ours.median).c_str(),
                   digits3(1e3 * times.peer.median).c_str(),
                   digits3(times.ratio.median).c_str(),
                   digits3(times.ratio.low).c_str(),
                   digits3(times.ratio.high).c_str(),
                   static_cast<long long>(times.pairs));
}

std::string memory_text(const PeakMemory& memory) {
  std::string text = "memory " + digits3(memory.ours / 1e6) + " MB";
  if (memory.of_peer) {
    text += " against " + digits3(*memory.of_peer / 1e6) +
            " MB: " + digits3(*memory.of_peer / memory.ours) + "x";
  }
  return text;
}

}  // namespace

std::string run_header(const RunRecord& record, const Suite& suite) {
  std::ostringstream text;
  const MachineLimits& limits = suite.limits(record.threads);
  text << "SUPN " << record.version << ", " << record.date << ", "
       << (record.extent == Extent::kQuick ? "quick" : "full") << " run\n"
       << record.machine.cpu << ", " << record.machine.vector_extensions << ", "
       << record.machine.cores << " cores, " << record.threads << " threads used; load average "
       << digits3(record.load_before) << " before\n"
       << "limits measured with " << record.threads << " threads: DRAM "
       << digits3(limits.dram_bytes_per_second / 1e9) << " GB/s, "
       << digits3(limits.fma_f32_per_second / 1e9) << " (f32) and "
       << digits3(limits.fma_f64_per_second / 1e9) << " (f64) G multiply-adds/s\n"
       << "ms are medians per unit; ratio = peer/ours, median of pairs [5 %, 95 %], n pairs\n";
  return text.str();
}

std::string table_header() {
  return formatted("%-34s %-9s %-4s %-8s %-3s %-38s %9s %9s  %s",
                   "ours",
                   "size",
                   "fac.",
                   "count",
                   "thr",
                   "peer",
                   "ours ms",
                   "peer ms",
                   "ratio");
}

std::string table_line(const Row& row) {
  std::string text = formatted("%-34s %-9s %-4s %-8s %-3d %-38s ",
                               (row.ours + " " + row.dtype).c_str(),
                               size_text(row.size).c_str(),
                               row.factor.c_str(),
                               count_text(row).c_str(),
                               row.threads,
                               row.peer.c_str());
  if (!row.refused.empty()) return text + "not measured: " + row.refused;
  if (row.times) text += times_text(*row.times);
  if (row.memory) text += memory_text(*row.memory);
  if (row.limit) {
    text += formatted("; %.0f %% of %s", 1e2 * row.limit->share, row.limit->limit.c_str());
  }
  for (const Target& target : row.targets) text += "; " + target_text(target);
  return text;
}

std::string curve_line(const CurvePoint& point) {
  return formatted("curve %-8s %-44s x=%-9.0f %9s ms [%s, %s]",
                   point.panel.c_str(),
                   point.line.c_str(),
                   point.x,
                   digits3(1e3 * point.seconds.median).c_str(),
                   digits3(1e3 * point.seconds.low).c_str(),
                   digits3(1e3 * point.seconds.high).c_str());
}

std::string target_summary(const std::vector<Row>& rows) {
  int met = 0;
  int missed = 0;
  int unmeasured = 0;
  std::string misses;
  for (const Row& row : rows) {
    for (const Target& target : row.targets) {
      if (!row.refused.empty()) {
        ++unmeasured;
      } else if (target.met()) {
        ++met;
      } else {
        ++missed;
        misses += "  missed: " + row.subject + ", " + row.factor + ", " + count_text(row) +
                  ", against " + row.peer + ": " + target_text(target) + "\n";
      }
    }
  }
  return formatted("targets: %d met, %d missed, %d not measured\n", met, missed, unmeasured) +
         misses;
}

}  // namespace supn::bench
