// A Progress shows how far a long loop is, with the time left.
//
//   Progress progress("samples", frames.size());
//   for (...) { ...; progress.advance(1, "loss 0.31"); }
//   progress.finish();
//
// On a terminal one line that is drawn over: "samples  45% [=====>    ] 100/222 3.1/s, 0:39 left,
// loss 0.31". Elsewhere (a log file, CI) the same facts as a plain line, at most one per interval,
// and one at the end. Not for use from several threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace supn {

enum class ProgressStyle { kBar, kLines };

struct ProgressOutput {
  std::ostream* stream;
  ProgressStyle style;
  std::chrono::milliseconds interval;  // shortest time between two updates
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

// Writes to stderr, a bar every 0.1 s on a terminal, else a line every 10 s.
ProgressOutput default_progress_output();

class Progress {
 public:
  Progress(std::string label,
           std::int64_t total,
           ProgressOutput output = default_progress_output());
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Ends the bar's line, so that what is printed next starts on a fresh one.
  ~Progress();

  // count more steps are done; `note` replaces the text at the end. Throws Interrupted after an
  // interrupt.
  void advance(std::int64_t count = 1, const std::string& note = "");
  // Steps that took no time (kept from an earlier run): they count as done, not for the speed.
  void skip(std::int64_t count);
  // Writes the last line, with the total time.
  void finish();

 private:
  void draw(std::chrono::steady_clock::time_point now);
  std::string facts(std::chrono::steady_clock::time_point now) const;

  std::string label_;
  std::int64_t total_;
  ProgressOutput output_;
  std::int64_t done_ = 0;
  std::int64_t skipped_ = 0;
  std::string note_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_drawn_;
  bool line_open_ = false;
  bool finished_ = false;
};

// 75 s is "1:15", 3700 s is "1:01:40".
std::string format_duration(std::chrono::seconds duration);

}  // namespace supn
