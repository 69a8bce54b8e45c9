#include "gaussian/sparse/nested_dissection.hpp"

#include <algorithm>
#include <utility>

namespace supn {

// Rows [top, bottom), columns [left, right).
struct Dissection::Rectangle {
  std::int64_t top;
  std::int64_t bottom;
  std::int64_t left;
  std::int64_t right;

  std::int64_t height() const { return bottom - top; }
  std::int64_t width() const { return right - left; }
};

Dissection::Dissection(const ImageSize& size,
                       const Offset& reach,
                       const std::vector<bool>& unknown,
                       std::int64_t leaf)
    : size_(size),
      reach_(reach),
      leaf_(leaf),
      unknown_(&unknown),
      row_(static_cast<std::size_t>(size.height * size.width), -1) {
  cut({0, size.height, 0, size.width}, nullptr, 0);
  unknown_ = nullptr;
  row_.clear();
  row_.shrink_to_fit();
}

std::vector<std::int64_t> Dissection::pixels_of(const Rectangle& rectangle) const {
  std::vector<std::int64_t> pixels;
  for (std::int64_t y = rectangle.top; y < rectangle.bottom; ++y) {
    for (std::int64_t x = rectangle.left; x < rectangle.right; ++x) {
      const std::int64_t pixel = y * size_.width + x;
      if ((*unknown_)[static_cast<std::size_t>(pixel)]) pixels.push_back(pixel);
    }
  }
  return pixels;
}

// Takes the ring of unknown pixels around the rectangle; all of them are in the parent's front,
// since separators are as thick as the ring.
void Dissection::set_boundary(const Rectangle& rectangle, Front& front) {
  const auto [top, bottom, left, right] = rectangle;
  const std::int64_t outer_top = std::max<std::int64_t>(0, top - reach_.dy);
  const std::int64_t outer_bottom = std::min(size_.height, bottom + reach_.dy);
  const std::int64_t outer_left = std::max<std::int64_t>(0, left - reach_.dx);
  const std::int64_t outer_right = std::min(size_.width, right + reach_.dx);
  std::vector<std::pair<std::int64_t, std::int64_t>> ring;  // row in the parent, pixel
  for (const Rectangle& side : {Rectangle{outer_top, top, outer_left, outer_right},
                                Rectangle{top, bottom, outer_left, left},
                                Rectangle{top, bottom, right, outer_right},
                                Rectangle{bottom, outer_bottom, outer_left, outer_right}}) {
    for (const std::int64_t pixel : pixels_of(side)) {
      ring.emplace_back(row_[static_cast<std::size_t>(pixel)], pixel);
    }
  }
  std::sort(ring.begin(), ring.end());
  for (const auto& [row, pixel] : ring) {
    front.parent_rows.push_back(row);
    front.boundary.push_back(pixel);
  }
}

void Dissection::number(const Front& front) {
  std::int64_t row = 0;
  for (const std::int64_t pixel : front.own) row_[static_cast<std::size_t>(pixel)] = row++;
  row = front.own_rows();
  for (const std::int64_t pixel : front.boundary) row_[static_cast<std::size_t>(pixel)] = row++;
}

void Dissection::cut(const Rectangle& rectangle, Front* parent, std::int64_t depth) {
  std::vector<std::int64_t> pixels = pixels_of(rectangle);
  if (pixels.empty()) return;
  Front front;
  front.depth = depth;
  front.first = static_cast<std::int64_t>(fronts_.size());
  if (parent != nullptr) set_boundary(rectangle, front);
  // The cut goes where the separator is smaller; without a reach, across the longer side.
  const std::int64_t upright_pixels = rectangle.height() * reach_.dx;
  const std::int64_t level_pixels = rectangle.width() * reach_.dy;
  const bool upright = upright_pixels < level_pixels ||
                       (upright_pixels == level_pixels && rectangle.width() >= rectangle.height());
  const std::int64_t thick = upright ? reach_.dx : reach_.dy;
  const std::int64_t length = upright ? rectangle.width() : rectangle.height();
  if (static_cast<std::int64_t>(pixels.size()) <= leaf_ || length < thick + 2) {
    front.own = std::move(pixels);
  } else {
    const std::int64_t start = (upright ? rectangle.left : rectangle.top) + (length - thick) / 2;
    Rectangle before = rectangle;
    Rectangle separator = rectangle;
    Rectangle after = rectangle;
    (upright ? before.right : before.bottom) = start;
    (upright ? separator.left : separator.top) = start;
    (upright ? separator.right : separator.bottom) = start + thick;
    (upright ? after.left : after.top) = start + thick;
    front.own = pixels_of(separator);
    for (const Rectangle& half : {before, after}) {
      number(front);
      cut(half, &front, depth + 1);
    }
  }
  fronts_.push_back(std::move(front));
  if (parent != nullptr) {
    parent->children.push_back(static_cast<std::int64_t>(fronts_.size()) - 1);
  }
}

std::int64_t Dissection::bytes() const {
  std::int64_t words = 0;
  for (const Front& front : fronts_) words += front.rows() * front.own_rows();
  return words * static_cast<std::int64_t>(sizeof(double));
}

double Dissection::multiply_adds() const {
  double sum = 0.0;
  for (const Front& front : fronts_) {
    const auto own = static_cast<double>(front.own_rows());
    const auto boundary = static_cast<double>(front.boundary_rows());
    sum += own * (own * own / 6 + (own + boundary) * boundary / 2);
  }
  return sum;
}

std::vector<std::int64_t> Dissection::subtrees(std::int64_t count) const {
  std::int64_t depth = 0;
  while ((std::int64_t{1} << depth) < count) ++depth;
  std::vector<std::int64_t> roots;
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    if (fronts_[i].depth == depth) roots.push_back(static_cast<std::int64_t>(i));
  }
  return roots;
}

}  // namespace supn
