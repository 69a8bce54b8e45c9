#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "gaussian/sparse/noise_rows.hpp"

namespace supn {
namespace {

// Pixels of one solve: neighbours share most of what they depend on.
constexpr std::int64_t kBlockRows = 4;
constexpr std::int64_t kBlockColumns = 4;  // as many as add_lane_products() takes

struct Box {
  std::int64_t top;
  std::int64_t left;
  std::int64_t height;
  std::int64_t width;
};

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// work(solver, box) for boxes that cover the image.
template <typename Work>
void for_each_block(const FactorGraph& graph,
                    const ImageSize& size,
                    std::int64_t lanes,
                    const Work& work) {
  const std::int64_t across = divided_up(size.width, kBlockColumns);
  const std::int64_t blocks = divided_up(size.height, kBlockRows) * across;
  at::parallel_for(0, blocks, 16, [&](std::int64_t begin, std::int64_t end) {
    SparseForwardSolver solver(graph, divided_up(lanes, 8) * 8);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t top = i / across * kBlockRows;
      const std::int64_t left = i % across * kBlockColumns;
      work(solver,
           Box{top,
               left,
               std::min(kBlockRows, size.height - top),
               std::min(kBlockColumns, size.width - left)});
    }
  });
}

// The pixels that a block's pixels are paired with, as an image of lanes around the block.
struct Window {
  std::int64_t below = 0;
  std::int64_t beside = 0;

  explicit Window(const std::vector<Offset>& offsets) {
    for (const Offset& offset : offsets) {
      below = std::max(below, offset.dy);
      beside = std::max(beside, std::abs(offset.dx));
    }
  }
  std::int64_t columns() const { return kBlockColumns + 2 * beside; }
  std::int64_t lanes() const { return (kBlockRows + below) * columns(); }
  std::int64_t lane(std::int64_t y, std::int64_t x) const { return y * columns() + x + beside; }
  // Of every offset, the first lane of each row of the block and of its partners.
  std::vector<scattering::LanePair> pairs(const std::vector<Offset>& offsets) const {
    std::vector<scattering::LanePair> result;
    for (const Offset& offset : offsets) {
      for (std::int64_t y = 0; y < kBlockRows; ++y) {
        result.push_back({lane(y, 0), lane(y + offset.dy, offset.dx)});
      }
    }
    return result;
  }
};

std::vector<LaneEntry> entries_of(const Window& window, const Box& box, const ImageSize& size) {
  std::vector<LaneEntry> entries;
  for (std::int64_t y = 0; y < kBlockRows + window.below; ++y) {
    for (std::int64_t x = -window.beside; x < kBlockColumns + window.beside; ++x) {
      const std::int64_t row = box.top + y;
      const std::int64_t column = box.left + x;
      if (row < size.height && column >= 0 && column < size.width) {
        entries.push_back({row * size.width + column, window.lane(y, x), 1.0});
      }
    }
  }
  return entries;
}

}  // namespace

void local_covariances_by_rows(const StructuredGaussian& gaussian,
                               const std::vector<Offset>& offsets,
                               double* out) {
  const FactorGraph graph(gaussian);
  const ImageSize size = gaussian.size();
  const Window window(offsets);
  const std::vector<scattering::LanePair> pairs = window.pairs(offsets);
  for_each_block(graph, size, window.lanes(), [&](SparseForwardSolver& solver, const Box& box) {
    // [offset, row, column] of the block.
    std::vector<double> sums(offsets.size() * kBlockRows * kBlockColumns, 0.0);
    solver.solve(entries_of(window, box, size), [&](std::int64_t, const double* values) {
      scattering::add_lane_products(values, pairs, sums.data());
    });
    for (std::size_t c = 0; c < offsets.size(); ++c) {
      for (std::int64_t y = 0; y < box.height; ++y) {
        const double* sum =
            sums.data() + (static_cast<std::int64_t>(c) * kBlockRows + y) * kBlockColumns;
        double* row = out + (static_cast<std::int64_t>(c) * size.height + box.top + y) * size.width;
        std::copy_n(sum, box.width, row + box.left);
      }
    }
  });
}

double expected_square_by_rows(const StructuredGaussian& gaussian,
                               const StructuredGaussian& other) {
  const FactorGraph graph(gaussian);
  const FactorGraph columns(other);
  const ImageSize size = gaussian.size();
  std::vector<double> squares(static_cast<std::size_t>(gaussian.pixels()), 0.0);
  for_each_block(
      graph, size, kBlockRows * kBlockColumns, [&](SparseForwardSolver& solver, const Box& box) {
        std::vector<LaneEntry> entries;
        for (std::int64_t i = 0; i < box.height * box.width; ++i) {
          const std::int64_t pixel =
              (box.top + i / box.width) * size.width + box.left + i % box.width;
          columns.visit_column(columns.position(pixel), [&](std::int64_t at, double value) {
            entries.push_back({at, i, value});
          });
        }
        double& sum = squares[static_cast<std::size_t>(box.top * size.width + box.left)];
        solver.solve(entries, [&](std::int64_t, const double* values) {
          for (std::int64_t lane = 0; lane < solver.lanes(); ++lane)
            sum += values[lane] * values[lane];
        });
      });
  double total = 0.0;
  for (const double square : squares) total += square;
  return total;
}

}  // namespace supn
