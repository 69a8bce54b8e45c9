#include "cholmod_solve.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace supn::bench {
namespace {

template <typename Value>
Value* cholmod_array(std::size_t count, cholmod_common* common) {
  return static_cast<Value*>(cholmod_malloc(count, sizeof(Value), common));
}

}  // namespace

SimplicialFactor::SimplicialFactor(const CompressedColumns& factor,
                                   const std::vector<double>& right,
                                   std::size_t block) {
  copy_factor(factor);
  if (cholmod_check_factor(factor_, common_.get()) == 0) {
    throw std::runtime_error("CHOLMOD does not take the factor");
  }
  copy_right_sides(right, block);
}

SimplicialFactor::~SimplicialFactor() {
  for (cholmod_dense*& dense : right_) cholmod_free_dense(&dense, common_.get());
  for (cholmod_dense*& dense : solution_) cholmod_free_dense(&dense, common_.get());
  cholmod_free_dense(&work_y_, common_.get());
  cholmod_free_dense(&work_e_, common_.get());
  cholmod_free_factor(&factor_, common_.get());
}

void SimplicialFactor::copy_factor(const CompressedColumns& factor) {
  const auto n = factor.columns();
  factor_ = cholmod_allocate_factor(n, common_.get());
  factor_->xtype = CHOLMOD_REAL;
  factor_->is_ll = 1;
  factor_->is_monotonic = 1;
  factor_->nzmax = factor.row.size();
  factor_->p = cholmod_array<int>(n + 1, common_.get());
  factor_->i = cholmod_array<int>(factor.row.size(), common_.get());
  factor_->x = cholmod_array<double>(factor.value.size(), common_.get());
  factor_->nz = cholmod_array<int>(n, common_.get());
  factor_->next = cholmod_array<int>(n + 2, common_.get());
  factor_->prev = cholmod_array<int>(n + 2, common_.get());
  std::copy(factor.start.begin(), factor.start.end(), static_cast<int*>(factor_->p));
  std::copy(factor.row.begin(), factor.row.end(), static_cast<int*>(factor_->i));
  std::copy(factor.value.begin(), factor.value.end(), static_cast<double*>(factor_->x));
  for (std::size_t i = 0; i < n; ++i) {
    static_cast<int*>(factor_->nz)[i] = factor.start[i + 1] - factor.start[i];
  }
  link_columns();
}

// CHOLMOD keeps the columns in a doubly linked list with head n + 1 and tail n.
void SimplicialFactor::link_columns() {
  const int n = static_cast<int>(factor_->n);
  int* next = static_cast<int*>(factor_->next);
  int* previous = static_cast<int*>(factor_->prev);
  for (int i = 0; i < n; ++i) {
    next[i] = i + 1;
    previous[i] = i == 0 ? n + 1 : i - 1;
  }
  next[n + 1] = 0;
  previous[n + 1] = -1;
  next[n] = -1;
  previous[n] = n - 1;
}

void SimplicialFactor::copy_right_sides(const std::vector<double>& right, std::size_t block) {
  const std::size_t n = factor_->n;
  const std::size_t samples = right.size() / n;
  for (std::size_t first = 0; first < samples; first += block) {
    const std::size_t count = std::min(block, samples - first);
    right_.push_back(cholmod_allocate_dense(n, count, n, CHOLMOD_REAL, common_.get()));
    std::memcpy(right_.back()->x, right.data() + first * n, n * count * sizeof(double));
  }
  solution_.resize(right_.size(), nullptr);
}

void SimplicialFactor::solve() {
  for (std::size_t i = 0; i < right_.size(); ++i) {
    const int solved = cholmod_solve2(CHOLMOD_Lt,
                                      factor_,
                                      right_[i],
                                      nullptr,
                                      &solution_[i],
                                      nullptr,
                                      &work_y_,
                                      &work_e_,
                                      common_.get());
    if (solved == 0) {
      throw std::runtime_error("cholmod_solve2 failed, status " + std::to_string(common_->status));
    }
  }
}

std::vector<double> SimplicialFactor::solution() const {
  std::vector<double> values;
  for (const cholmod_dense* dense : solution_) {
    const auto* source = static_cast<const double*>(dense->x);
    values.insert(values.end(), source, source + dense->nrow * dense->ncol);
  }
  return values;
}

}  // namespace supn::bench
