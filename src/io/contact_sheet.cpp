#include "supn/io/contact_sheet.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linspace.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "supn/rounded.hpp"

namespace supn {
namespace {

constexpr int kMargin = 8;
constexpr int kTitleHeight = 22;
constexpr int kBarHeight = 10;
constexpr int kBarLabelHeight = 18;
constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kTitleScale = 0.5;
constexpr double kLabelScale = 0.42;

struct Cell {
  int width = 0;
  int picture_height = 0;
};

struct Row {
  std::size_t first = 0;
  std::size_t end = 0;
  int title_height = 0;
  int bar_height = 0;
};

int text_width(const std::string& text, double scale) {
  return cv::getTextSize(text, kFont, scale, 1, nullptr).width;
}

std::string ascii(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;  // the rest of a UTF-8 letter
    result += byte >= 0x20 && byte < 0x7F ? c : '?';
  }
  return result;
}

std::string shortened(std::string text, double scale, int width) {
  if (text_width(text, scale) <= width) return text;
  while (!text.empty() && text_width(text + "..", scale) > width) text.pop_back();
  return text + "..";
}

void draw_text(cv::Mat& sheet, const std::string& text, const cv::Point& left_base, double scale) {
  cv::putText(sheet, text, left_base, kFont, scale, cv::Scalar(25, 25, 25), 1, cv::LINE_AA);
}

int enlargement(const Panel& panel) {
  const std::int64_t width = panel.rgb.size(1);
  return static_cast<int>(std::max<std::int64_t>(1, (kMinPanelWidth + width - 1) / width));
}

void check(const std::vector<Panel>& panels, std::int64_t columns) {
  TORCH_CHECK(!panels.empty(), "contact_sheet: expected at least one panel, got none");
  TORCH_CHECK(columns >= 1, "contact_sheet: expected at least one column, got ", columns);
  for (const Panel& panel : panels) {
    TORCH_CHECK(panel.rgb.defined() && panel.rgb.scalar_type() == at::kByte &&
                    panel.rgb.dim() == 3 && panel.rgb.size(2) == 3 && panel.rgb.numel() > 0,
                "contact_sheet: expected pictures uint8 [H,W,3], '",
                panel.title,
                "' is another");
  }
}

Cell cell_of(const std::vector<Panel>& panels) {
  Cell cell;
  for (const Panel& panel : panels) {
    const int factor = enlargement(panel);
    cell.width = std::max(cell.width, factor * static_cast<int>(panel.rgb.size(1)));
    cell.picture_height =
        std::max(cell.picture_height, factor * static_cast<int>(panel.rgb.size(0)));
  }
  return cell;
}

std::vector<Row> rows_of(const std::vector<Panel>& panels, std::size_t columns) {
  std::vector<Row> rows;
  for (std::size_t first = 0; first < panels.size(); first += columns) {
    Row row{.first = first, .end = std::min(first + columns, panels.size())};
    for (std::size_t i = row.first; i < row.end; ++i) {
      if (!panels[i].title.empty()) row.title_height = kTitleHeight;
      if (panels[i].bar) row.bar_height = 4 + kBarHeight + kBarLabelHeight;
    }
    rows.push_back(row);
  }
  return rows;
}

void draw_bar(cv::Mat& sheet, const ColourBar& bar, const cv::Rect& place) {
  // Places equally far apart in the range, so that the scaling shows as it does in the picture;
  // equal ratios apart for logarithmic colours.
  const ColourRange& range = bar.range;
  const bool logarithmic = range.scaling == ColourScaling::kLogarithmic;
  const at::Tensor ramp =
      logarithmic
          ? at::linspace(std::log(range.low), std::log(range.high), place.width, at::kDouble).exp()
          : at::linspace(range.low, range.high, place.width, at::kDouble);
  at::Tensor colours = colourise(ramp.view({1, place.width}), range, bar.colours);
  const cv::Mat line(1, place.width, CV_8UC3, colours.mutable_data_ptr<std::uint8_t>());
  for (int y = 0; y < place.height; ++y)
    line.copyTo(sheet(cv::Rect(place.x, place.y + y, place.width, 1)));
  cv::rectangle(sheet, place, cv::Scalar(120, 120, 120));

  const int base = place.y + place.height + kBarLabelHeight - 5;
  const std::string middle =
      rounded(logarithmic ? std::sqrt(range.low * range.high) : 0.5 * (range.low + range.high), 3);
  const std::string high = rounded(range.high, 3) + (bar.unit.empty() ? "" : " " + ascii(bar.unit));
  const int middle_width = text_width(middle, kLabelScale);
  const int middle_left = place.x + (place.width - middle_width) / 2;
  const int high_left = place.x + place.width - text_width(high, kLabelScale);
  draw_text(sheet, rounded(range.low, 3), {place.x, base}, kLabelScale);
  draw_text(sheet, high, {high_left, base}, kLabelScale);
  // Beside a long unit there may be no room for a third number.
  if (middle_left + middle_width + 2 * kMargin > high_left) return;
  draw_text(sheet, middle, {middle_left, base}, kLabelScale);
}

void draw_panel(
    cv::Mat& sheet, const Panel& panel, const cv::Point& corner, const Cell& cell, const Row& row) {
  if (!panel.title.empty()) {
    draw_text(sheet,
              shortened(ascii(panel.title), kTitleScale, cell.width),
              {corner.x, corner.y + kTitleHeight - 7},
              kTitleScale);
  }
  at::Tensor packed = panel.rgb.cpu().contiguous();
  const cv::Mat picture(static_cast<int>(packed.size(0)),
                        static_cast<int>(packed.size(1)),
                        CV_8UC3,
                        packed.mutable_data_ptr<std::uint8_t>());
  const int factor = enlargement(panel);
  const cv::Rect place(
      corner.x, corner.y + row.title_height, factor * picture.cols, factor * picture.rows);
  cv::resize(picture, sheet(place), place.size(), 0, 0, cv::INTER_NEAREST);
  if (!panel.bar) return;
  draw_bar(sheet, *panel.bar, {place.x, place.y + cell.picture_height + 4, cell.width, kBarHeight});
}

}  // namespace

Panel map_panel(const std::string& title, const at::Tensor& map, const ColourBar& bar) {
  return {title, colourise(map, bar.range, bar.colours), bar};
}

at::Tensor contact_sheet(const std::vector<Panel>& panels, std::int64_t columns) {
  check(panels, columns);
  const Cell cell = cell_of(panels);
  const auto used = std::min(static_cast<std::size_t>(columns), panels.size());
  const std::vector<Row> rows = rows_of(panels, used);
  int height = kMargin;
  for (const Row& row : rows) {
    height += row.title_height + cell.picture_height + row.bar_height + kMargin;
  }
  const int width = kMargin + static_cast<int>(used) * (cell.width + kMargin);
  at::Tensor rgb = at::empty({height, width, 3}, at::kByte);
  cv::Mat sheet(height, width, CV_8UC3, rgb.mutable_data_ptr<std::uint8_t>());
  sheet.setTo(cv::Scalar(255, 255, 255));

  int y = kMargin;
  for (const Row& row : rows) {
    for (std::size_t i = row.first; i < row.end; ++i) {
      const int x = kMargin + static_cast<int>(i - row.first) * (cell.width + kMargin);
      draw_panel(sheet, panels[i], {x, y}, cell, row);
    }
    y += row.title_height + cell.picture_height + row.bar_height + kMargin;
  }
  return rgb;
}

}  // namespace supn
