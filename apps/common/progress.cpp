#include "common/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <utility>

#include "common/logging.hpp"
#include "common/run_app.hpp"

namespace supn {
namespace {

constexpr int kBarWidth = 24;

std::string two_digits(std::int64_t value) {
  std::string text = value < 10 ? "0" : "";
  return text += std::to_string(value);
}

// Three significant digits are enough for a speed: 0.31, 4.2, 118.
std::string format_rate(double per_second) {
  char text[32];
  const int decimals = per_second < 1.0 ? 2 : per_second < 10.0 ? 1 : 0;
  std::snprintf(text, sizeof text, "%.*f/s", decimals, per_second);
  return text;
}

std::string bar(double fraction) {
  const int filled = std::clamp(static_cast<int>(fraction * kBarWidth), 0, kBarWidth);
  std::string text(static_cast<std::size_t>(filled), '=');
  if (filled < kBarWidth) text += '>';
  text.resize(kBarWidth, ' ');
  return "[" + text + "]";
}

}  // namespace

std::string format_duration(std::chrono::seconds duration) {
  const std::int64_t total = std::max<std::int64_t>(0, duration.count());
  const std::int64_t hours = total / 3600;
  const std::int64_t minutes = total / 60 % 60;
  if (hours == 0) return std::to_string(minutes) + ":" + two_digits(total % 60);
  return std::to_string(hours) + ":" + two_digits(minutes) + ":" + two_digits(total % 60);
}

ProgressOutput default_progress_output() {
  using std::chrono::milliseconds;
  if (stderr_is_terminal()) return {&std::cerr, ProgressStyle::kBar, milliseconds(100)};
  return {&std::cerr, ProgressStyle::kLines, milliseconds(10000)};
}

Progress::Progress(std::string label, std::int64_t total, ProgressOutput output)
    : label_(std::move(label)), total_(total), output_(std::move(output)) {
  start_ = output_.now();
  last_drawn_ = start_;
  if (output_.style == ProgressStyle::kBar) draw(start_);
}

Progress::~Progress() {
  if (line_open_) *output_.stream << '\n' << std::flush;
}

void Progress::advance(std::int64_t count, const std::string& note) {
  done_ += count;
  if (!note.empty()) note_ = note;
  const auto now = output_.now();
  if (now - last_drawn_ >= output_.interval) draw(now);
  throw_if_interrupted();
}

void Progress::skip(std::int64_t count) {
  done_ += count;
  skipped_ += count;
}

void Progress::finish() {
  if (finished_) return;
  finished_ = true;
  draw(output_.now());
  if (line_open_) *output_.stream << '\n' << std::flush;
  line_open_ = false;
}

void Progress::draw(std::chrono::steady_clock::time_point now) {
  last_drawn_ = now;
  if (output_.style == ProgressStyle::kBar) {
    *output_.stream << "\r\033[K" << facts(now) << std::flush;
    line_open_ = true;
  } else {
    *output_.stream << facts(now) << '\n' << std::flush;
  }
}

std::string Progress::facts(std::chrono::steady_clock::time_point now) const {
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double fraction =
      total_ > 0 ? static_cast<double>(done_) / static_cast<double>(total_) : 1.0;
  const std::int64_t worked = done_ - skipped_;
  const double rate = elapsed > 0.0 ? static_cast<double>(worked) / elapsed : 0.0;
  std::ostringstream text;
  text << label_ << ' ' << static_cast<int>(fraction * 100.0) << '%';
  if (output_.style == ProgressStyle::kBar) text << ' ' << bar(fraction);
  text << ' ' << done_ << '/' << total_;
  if (rate > 0.0) text << ' ' << format_rate(rate);
  const auto seconds = [](double value) {
    return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(value)));
  };
  if (finished_) {
    text << ", took " << format_duration(seconds(elapsed));
  } else if (rate > 0.0) {
    const double left = static_cast<double>(total_ - done_) / rate;
    text << ", " << format_duration(seconds(left)) << " left";
  }
  if (!note_.empty()) text << ", " << note_;
  return text.str();
}

}  // namespace supn
