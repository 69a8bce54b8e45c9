#include "gaussian/sparse/front_assembly.hpp"

#include <algorithm>
#include <array>

namespace supn {

FrontAssembly::FrontAssembly(const StencilMatrix& matrix)
    : matrix_(matrix),
      row_(static_cast<std::size_t>(matrix.size().height * matrix.size().width), -1) {}

void FrontAssembly::start(const Front& front, const FrontMatrix& to) {
  lanes::set_zero(to.panel);
  lanes::set_zero(to.square);
  const auto row_of = [&](std::int64_t pixel) -> std::int64_t& {
    return row_[static_cast<std::size_t>(pixel)];
  };
  std::int64_t row = 0;
  for (const std::int64_t pixel : front.own) row_of(pixel) = row++;
  row = front.own_rows();
  for (const std::int64_t pixel : front.boundary) row_of(pixel) = row++;
  std::int64_t column = 0;
  for (const std::int64_t pixel : front.own) add_entries(pixel, column++, to.panel);
  for (; column < front.own_rows(); ++column) to.panel.entry(column, column) = 1.0;
  for (const std::int64_t pixel : front.own) row_of(pixel) = -1;
  for (const std::int64_t pixel : front.boundary) row_of(pixel) = -1;
}

// Adds the entries with later rows of the front; pixels before are done, and pixels elsewhere have
// none.
void FrontAssembly::add_entries(std::int64_t pixel,
                                std::int64_t column,
                                const lanes::View& panel) const {
  const auto [height, width] = matrix_.size();
  const std::int64_t y = pixel / width;
  const std::int64_t x = pixel % width;
  const double* values = matrix_.values.const_data_ptr<double>();
  // −1 outside the image.
  const auto neighbour = [&, height = height, width = width](std::int64_t dy, std::int64_t dx) {
    const bool inside = y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width;
    return inside ? pixel + dy * width + dx : -1;
  };
  const auto add = [&](std::int64_t other, double value) {
    const std::int64_t row = row_[static_cast<std::size_t>(other)];
    if (row >= column) panel.entry(row, column) += value;
  };
  for (const auto& [dy, dx] : matrix_.offsets) {
    const std::int64_t later = neighbour(dy, dx);
    const std::int64_t earlier = neighbour(-dy, -dx);
    if (later >= 0) add(later, values[pixel]);
    if (earlier >= 0 && earlier != pixel) add(earlier, values[earlier]);
    values += height * width;
  }
}

void add_update(const Front& child, const lanes::View& update, const FrontMatrix& to) {
  const std::vector<std::int64_t>& rows = child.parent_rows;
  const auto count = static_cast<std::int64_t>(rows.size());
  const std::int64_t own = to.panel.columns;
  const auto in_panel =
      static_cast<std::int64_t>(std::lower_bound(rows.begin(), rows.end(), own) - rows.begin());
  std::array<double*, lanes::kLanes> row;
  for (std::int64_t first = 0; first < count; first += lanes::kLanes) {
    const std::int64_t used = std::min(lanes::kLanes, count - first);
    // Columns [begin, end) of the child's, no farther than the diagonal.
    const auto add = [&](std::int64_t begin, std::int64_t end, std::int64_t shift) {
      for (std::int64_t k = begin; k < end; ++k) {
        const double* from = update.block(first / lanes::kLanes, k);
        const std::int64_t column = (rows[static_cast<std::size_t>(k)] - shift) * lanes::kLanes;
        for (std::int64_t lane = std::max<std::int64_t>(0, k - first); lane < used; ++lane) {
          row[static_cast<std::size_t>(lane)][column] += from[lane];
        }
      }
    };
    const auto set_rows = [&](const lanes::View& matrix, std::int64_t shift) {
      for (std::int64_t lane = 0; lane < used; ++lane) {
        const std::int64_t index = rows[static_cast<std::size_t>(first + lane)] - shift;
        row[static_cast<std::size_t>(lane)] = index < 0 ? nullptr : matrix.row(index);
      }
    };
    set_rows(to.panel, 0);
    add(0, std::min(in_panel, first + used), 0);
    set_rows(to.square, own);
    add(in_panel, first + used, own);
  }
}

}  // namespace supn
