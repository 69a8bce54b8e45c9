#include "supn/io/line_plot.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace supn {
namespace {

constexpr int kFace = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kTextScale = 0.45;
constexpr int kLeft = 70;
constexpr int kRight = 16;
constexpr int kTop = 34;
constexpr int kBottom = 48;
constexpr int kLegendRow = 18;
constexpr int kTicks = 5;
constexpr int kMarkDistance = 45;
constexpr int kMarkRadius = 4;

// Okabe and Ito's palette, told apart by colour-blind readers too.
const std::array<cv::Scalar, 8> kPalette{cv::Scalar(0, 114, 178),
                                         cv::Scalar(213, 94, 0),
                                         cv::Scalar(0, 158, 115),
                                         cv::Scalar(204, 121, 167),
                                         cv::Scalar(230, 159, 0),
                                         cv::Scalar(86, 180, 233),
                                         cv::Scalar(0, 0, 0),
                                         cv::Scalar(190, 175, 0)};
const cv::Scalar kGrey(130, 130, 130);
const cv::Scalar kInk(25, 25, 25);

struct Axis {
  double low = 0.0;
  double high = 1.0;
  double step = 0.2;
};

// Returns 1, 2 or 5 times a power of ten.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (step <= factor * power * 1.001) return factor * power;
  }
  return 10.0 * power;
}

Axis axis_of(const std::vector<PlotLine>& lines, std::vector<double> PlotLine::*values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const PlotLine& line : lines) {
    for (const double value : line.*values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) return {};
  if (low > 0.0 && low < 0.5 * high) low = 0.0;
  if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high))) {
    const double margin = high == 0.0 ? 1.0 : 0.1 * std::abs(high);
    low -= margin;
    high += margin;
  }
  const double step = round_step((high - low) / kTicks);
  return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, step};
}

std::string tick_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", std::abs(value) < 1e-12 ? 0.0 : value);
  return text.data();
}

std::string printable(std::string text) {
  for (char& c : text) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  return text;
}

int label_width(const std::string& words) {
  return cv::getTextSize(printable(words), kFace, kTextScale, 1, nullptr).width;
}

// The legend stands beside the curves, which it must not hide; it takes at most half the picture.
int legend_width(const LinePlot& plot) {
  int widest = 0;
  for (const PlotLine& line : plot.lines) {
    if (!line.label.empty()) widest = std::max(widest, label_width(line.label) + 38);
  }
  return std::min(widest, static_cast<int>(plot.width) / 2);
}

// The area of the curves, and where values fall in it.
class Plotter {
 public:
  Plotter(cv::Mat& picture, const Axis& x, const Axis& y, int legend)
      : picture_(picture),
        area_(kLeft, kTop, picture.cols - kLeft - kRight - legend, picture.rows - kTop - kBottom),
        x_(x),
        y_(y) {}

  void draw_grid();
  void draw_line(const PlotLine& line);
  void draw_legend(const std::vector<PlotLine>& lines);
  void draw_labels(const LinePlot& plot);

 private:
  int column(double x) const {
    return area_.x + static_cast<int>(std::lround((x - x_.low) / (x_.high - x_.low) * area_.width));
  }
  int row(double y) const {
    return area_.y + area_.height -
           static_cast<int>(std::lround((y - y_.low) / (y_.high - y_.low) * area_.height));
  }
  void text(const std::string& words, const cv::Point& place) {
    cv::putText(picture_, printable(words), place, kFace, kTextScale, kInk, 1, cv::LINE_AA);
  }
  static cv::Scalar colour_of(const PlotLine& line) {
    return line.colour < 0 ? kGrey
                           : kPalette[static_cast<std::size_t>(line.colour) % kPalette.size()];
  }
  void stroke(const cv::Point& from, const cv::Point& to, const PlotLine& line);
  void mark(const cv::Point& place, const PlotLine& line);

  cv::Mat& picture_;
  cv::Rect area_;
  Axis x_;
  Axis y_;
};

void Plotter::draw_grid() {
  const cv::Scalar faint(225, 225, 225);
  for (double x = x_.low; x <= x_.high + 0.5 * x_.step; x += x_.step) {
    cv::line(picture_, {column(x), area_.y}, {column(x), area_.y + area_.height}, faint);
    text(tick_text(x), {column(x) - label_width(tick_text(x)) / 2, area_.y + area_.height + 16});
  }
  for (double y = y_.low; y <= y_.high + 0.5 * y_.step; y += y_.step) {
    cv::line(picture_, {area_.x, row(y)}, {area_.x + area_.width, row(y)}, faint);
    text(tick_text(y), {area_.x - label_width(tick_text(y)) - 6, row(y) + 4});
  }
  cv::rectangle(picture_, area_, kGrey);
}

void Plotter::stroke(const cv::Point& from, const cv::Point& to, const PlotLine& line) {
  if (line.style == LineStyle::kSolid) {
    cv::line(picture_, from, to, colour_of(line), 2, cv::LINE_AA);
    return;
  }
  // Dashes by place, so that they go on from one piece to the next.
  const int steps = std::max({std::abs(to.x - from.x), std::abs(to.y - from.y), 1});
  for (int i = 0; i < steps; ++i) {
    const cv::Point a = from + (to - from) * i / steps;
    const cv::Point b = from + (to - from) * (i + 1) / steps;
    if ((a.x + a.y) % 10 < 6) {
      cv::line(picture_, a, b, colour_of(line), 1, cv::LINE_AA);
    }
  }
}

// Tells lines of one colour apart; nothing for the palette's first use and for dashed lines.
void Plotter::mark(const cv::Point& place, const PlotLine& line) {
  const std::int64_t kind = line.colour / static_cast<std::int64_t>(kPalette.size());
  if (kind < 1 || line.style != LineStyle::kSolid) return;
  if (kind == 1) {
    cv::circle(picture_, place, kMarkRadius, colour_of(line), cv::FILLED, cv::LINE_AA);
    return;
  }
  const int r = kMarkRadius;
  const std::array<cv::Point, 4> square{
      cv::Point(-r, -r), cv::Point(r, -r), cv::Point(r, r), cv::Point(-r, r)};
  const std::array<cv::Point, 4> diamond{
      cv::Point(0, -r - 1), cv::Point(r + 1, 0), cv::Point(0, r + 1), cv::Point(-r - 1, 0)};
  std::array<cv::Point, 4> corners = kind == 2 ? square : diamond;
  for (cv::Point& corner : corners) corner += place;
  cv::fillConvexPoly(picture_, corners.data(), 4, colour_of(line), cv::LINE_AA);
}

void Plotter::draw_line(const PlotLine& line) {
  int next_mark = area_.x + static_cast<int>(line.colour) * 11 % kMarkDistance;
  for (std::size_t i = 0; i + 1 < line.x.size(); ++i) {
    const std::array<double, 4> ends{line.x[i], line.y[i], line.x[i + 1], line.y[i + 1]};
    if (!std::all_of(ends.begin(), ends.end(), [](double v) { return std::isfinite(v); })) continue;
    const cv::Point to(column(ends[2]), row(ends[3]));
    stroke({column(ends[0]), row(ends[1])}, to, line);
    if (to.x < next_mark) continue;
    mark(to, line);
    next_mark = to.x + kMarkDistance;
  }
}

void Plotter::draw_legend(const std::vector<PlotLine>& lines) {
  const int left = area_.x + area_.width + 10;
  int base = area_.y + kLegendRow;
  for (const PlotLine& line : lines) {
    if (line.label.empty()) continue;
    stroke({left, base - 4}, {left + 22, base - 4}, line);
    mark({left + 11, base - 4}, line);
    text(line.label, {left + 28, base});
    base += kLegendRow;
  }
}

void Plotter::draw_labels(const LinePlot& plot) {
  text(plot.title, {area_.x, 22});
  text(plot.x_label, {area_.x + (area_.width - label_width(plot.x_label)) / 2, picture_.rows - 10});
  // The label on its side is drawn on a strip that is then turned.
  const int length = area_.height;
  cv::Mat strip(kLegendRow, length, CV_8UC3, cv::Scalar(255, 255, 255));
  cv::putText(strip,
              printable(plot.y_label),
              {std::max(0, (length - label_width(plot.y_label)) / 2), 13},
              kFace,
              kTextScale,
              kInk,
              1,
              cv::LINE_AA);
  cv::Mat turned;
  cv::rotate(strip, turned, cv::ROTATE_90_COUNTERCLOCKWISE);
  turned.copyTo(picture_(cv::Rect(2, area_.y, kLegendRow, length)));
}

void check(const LinePlot& plot) {
  TORCH_CHECK(!plot.lines.empty(), "line_plot: expected at least one line, got none");
  TORCH_CHECK(plot.width >= 200 && plot.height >= 200,
              "line_plot: expected at least 200x200 pixels, got ",
              plot.width,
              "x",
              plot.height);
  for (const PlotLine& line : plot.lines) {
    TORCH_CHECK(line.x.size() == line.y.size(),
                "line_plot: expected as many x as y of line '",
                line.label,
                "', got ",
                line.x.size(),
                " and ",
                line.y.size());
  }
}

}  // namespace

at::Tensor line_plot(const LinePlot& plot) {
  check(plot);
  at::Tensor rgb = at::empty({plot.height, plot.width, 3}, at::kByte);
  cv::Mat picture(static_cast<int>(plot.height),
                  static_cast<int>(plot.width),
                  CV_8UC3,
                  rgb.mutable_data_ptr<std::uint8_t>());
  picture.setTo(cv::Scalar(255, 255, 255));
  Plotter plotter(picture,
                  axis_of(plot.lines, &PlotLine::x),
                  axis_of(plot.lines, &PlotLine::y),
                  legend_width(plot));
  plotter.draw_grid();
  for (const PlotLine& line : plot.lines) plotter.draw_line(line);
  plotter.draw_legend(plot.lines);
  plotter.draw_labels(plot);
  return rgb;
}

}  // namespace supn
