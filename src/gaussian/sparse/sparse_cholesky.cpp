#include "gaussian/sparse/sparse_cholesky.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "gaussian/sparse/front_assembly.hpp"
#include "gaussian/sparse/subtree_loop.hpp"

namespace supn {
namespace {

std::vector<std::int64_t> starts(const std::vector<Front>& fronts) {
  std::vector<std::int64_t> start{0};
  for (const Front& front : fronts) start.push_back(start.back() + front.rows() * front.own_rows());
  return start;
}

// A front's rows of some fields side by side, [rows,lanes::kLanes]: 0 where there is padding.
AlignedBuffer<double> front_fields(const Front& front, const double* fields) {
  AlignedBuffer<double> x(front.rows() * lanes::kLanes);
  double* to = x.data();
  std::fill_n(to, front.rows() * lanes::kLanes, 0.0);
  for (const std::int64_t pixel : front.own) {
    std::copy_n(fields + pixel * lanes::kLanes, lanes::kLanes, to);
    to += lanes::kLanes;
  }
  return x;
}

void keep_own(const Front& front, const double* x, double* fields) {
  for (const std::int64_t pixel : front.own) {
    std::copy_n(x, lanes::kLanes, fields + pixel * lanes::kLanes);
    x += lanes::kLanes;
  }
}

}  // namespace

SparseCholesky::SparseCholesky(StencilMatrix matrix, Dissection dissection)
    : matrix_(std::move(matrix)),
      dissection_(std::move(dissection)),
      start_(starts(dissection_.fronts())),
      words_(start_.back()) {}

lanes::View SparseCholesky::panel(std::int64_t index) const {
  return {words_.data() + start_[static_cast<std::size_t>(index)],
          front(index).rows(),
          front(index).own_rows()};
}

bool SparseCholesky::factorize() {
  std::vector<std::optional<lanes::Matrix>> updates(dissection_.fronts().size());
  std::atomic<bool> positive{true};
  upwards(dissection_, [&](std::int64_t first, std::int64_t end) {
    FrontAssembly assembly(matrix_);
    for (std::int64_t i = first; i < end && positive; ++i) {
      const std::int64_t boundary = front(i).boundary_rows();
      lanes::Matrix update(boundary, boundary);
      const FrontMatrix matrix{panel(i), update.view()};
      assembly.start(front(i), matrix);
      for (const std::int64_t child : front(i).children) {
        std::optional<lanes::Matrix>& left = updates[static_cast<std::size_t>(child)];
        add_update(front(child), left->view(), matrix);
        left.reset();
      }
      if (!lanes::factorize_panel(matrix.panel)) positive = false;
      lanes::subtract_square(matrix.square, matrix.panel);
      updates[static_cast<std::size_t>(i)] = std::move(update);
    }
  });
  return positive;
}

double SparseCholesky::log_determinant() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < dissection_.fronts().size(); ++i) {
    const lanes::View columns = panel(static_cast<std::int64_t>(i));
    for (std::int64_t j = 0; j < columns.columns; ++j) sum -= std::log(columns.entry(j, j));
  }
  return 2.0 * sum;
}

void SparseCholesky::solve_fields(double* fields) const {
  std::vector<std::optional<AlignedBuffer<double>>> solved(dissection_.fronts().size());
  upwards(dissection_, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) {
      AlignedBuffer<double> x = front_fields(front(i), fields);
      for (const std::int64_t c : front(i).children) {
        const double* left = solved[static_cast<std::size_t>(c)]->data();
        left += front(c).own_rows() * lanes::kLanes;
        for (const std::int64_t row : front(c).parent_rows) {
          for (std::int64_t lane = 0; lane < lanes::kLanes; ++lane)
            x.data()[row * lanes::kLanes + lane] += *left++;
        }
        solved[static_cast<std::size_t>(c)].reset();
      }
      lanes::forward(x.data(), panel(i));
      keep_own(front(i), x.data(), fields);
      solved[static_cast<std::size_t>(i)] = std::move(x);
    }
  });
  downwards(dissection_, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = end - 1; i >= first; --i) {
      const AlignedBuffer<double> x = front_fields(front(i), fields);
      double* known = x.data() + front(i).own_rows() * lanes::kLanes;
      for (const std::int64_t pixel : front(i).boundary) {
        std::copy_n(fields + pixel * lanes::kLanes, lanes::kLanes, known);
        known += lanes::kLanes;
      }
      lanes::backward(x.data(), panel(i));
      keep_own(front(i), x.data(), fields);
    }
  });
}

at::Tensor SparseCholesky::solve(const at::Tensor& b) const {
  const std::int64_t pixels = b.size(1);
  const at::Tensor sides = b.contiguous();
  at::Tensor result = at::zeros(sides.sizes(), sides.options());
  const AlignedBuffer<double> fields(pixels * lanes::kLanes);
  for (std::int64_t first = 0; first < sides.size(0); first += lanes::kLanes) {
    const std::int64_t used = std::min(lanes::kLanes, sides.size(0) - first);
    const double* from = sides.const_data_ptr<double>() + first * pixels;
    double* to = result.mutable_data_ptr<double>() + first * pixels;
    std::fill_n(fields.data(), pixels * lanes::kLanes, 0.0);
    for (std::int64_t s = 0; s < used; ++s) {
      for (std::int64_t n = 0; n < pixels; ++n)
        fields.data()[n * lanes::kLanes + s] = from[s * pixels + n];
    }
    solve_fields(fields.data());
    for (const Front& front : dissection_.fronts()) {
      for (const std::int64_t n : front.own) {
        for (std::int64_t s = 0; s < used; ++s)
          to[s * pixels + n] = fields.data()[n * lanes::kLanes + s];
      }
    }
  }
  return result;
}

}  // namespace supn
