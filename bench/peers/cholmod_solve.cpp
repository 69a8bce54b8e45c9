#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <cholmod.h>

#include <algorithm>
#include <cstring>

#include "../timing.hpp"
#include "cholmod_peer.hpp"

namespace supn::bench {
namespace {

// L as a simplicial factor with its workspace and right-hand sides.
class SimplicialFactor {
 public:
  SimplicialFactor(const SparseFactor& factor, const at::Tensor& b, std::int64_t block);
  ~SimplicialFactor();
  SimplicialFactor(const SimplicialFactor&) = delete;
  SimplicialFactor& operator=(const SimplicialFactor&) = delete;

  void solve();
  at::Tensor solution();

 private:
  void copy_factor(const SparseFactor& factor);
  void link_columns();
  void copy_right_sides(const at::Tensor& b, std::int64_t block);

  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  std::vector<cholmod_dense*> right_;
  std::vector<cholmod_dense*> solution_;
  cholmod_dense* work_y_ = nullptr;
  cholmod_dense* work_e_ = nullptr;
  std::vector<std::int64_t> shape_;
};

SimplicialFactor::SimplicialFactor(const SparseFactor& factor,
                                   const at::Tensor& b,
                                   std::int64_t block)
    : shape_(b.sizes().vec()) {
  cholmod_start(&common_);
  copy_factor(factor);
  TORCH_CHECK(cholmod_check_factor(factor_, &common_), "CHOLMOD does not take the factor");
  copy_right_sides(b, block);
}

SimplicialFactor::~SimplicialFactor() {
  for (cholmod_dense*& dense : right_) cholmod_free_dense(&dense, &common_);
  for (cholmod_dense*& dense : solution_) cholmod_free_dense(&dense, &common_);
  cholmod_free_dense(&work_y_, &common_);
  cholmod_free_dense(&work_e_, &common_);
  cholmod_free_factor(&factor_, &common_);
  cholmod_finish(&common_);
}

template <typename Value>
Value* cholmod_array(std::size_t count, cholmod_common* common) {
  return static_cast<Value*>(cholmod_malloc(count, sizeof(Value), common));
}

void SimplicialFactor::copy_factor(const SparseFactor& factor) {
  const auto n = static_cast<std::size_t>(factor.pixels);
  factor_ = cholmod_allocate_factor(n, &common_);
  factor_->xtype = CHOLMOD_REAL;
  factor_->is_ll = 1;
  factor_->is_monotonic = 1;
  factor_->nzmax = factor.row.size();
  factor_->p = cholmod_array<int>(n + 1, &common_);
  factor_->i = cholmod_array<int>(factor.row.size(), &common_);
  factor_->x = cholmod_array<double>(factor.value.size(), &common_);
  factor_->nz = cholmod_array<int>(n, &common_);
  factor_->next = cholmod_array<int>(n + 2, &common_);
  factor_->prev = cholmod_array<int>(n + 2, &common_);
  std::copy(factor.column_start.begin(), factor.column_start.end(), static_cast<int*>(factor_->p));
  std::copy(factor.row.begin(), factor.row.end(), static_cast<int*>(factor_->i));
  std::copy(factor.value.begin(), factor.value.end(), static_cast<double*>(factor_->x));
  for (std::size_t i = 0; i < n; ++i) {
    static_cast<int*>(factor_->nz)[i] = factor.column_start[i + 1] - factor.column_start[i];
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

void SimplicialFactor::copy_right_sides(const at::Tensor& b, std::int64_t block) {
  const at::Tensor columns = b.to(at::kDouble).reshape({b.size(1), -1}).contiguous();
  const std::int64_t pixels = columns.size(1);
  for (std::int64_t first = 0; first < b.size(1); first += block) {
    const auto count = static_cast<std::size_t>(std::min(block, b.size(1) - first));
    const auto n = static_cast<std::size_t>(pixels);
    right_.push_back(cholmod_allocate_dense(n, count, n, CHOLMOD_REAL, &common_));
    std::memcpy(right_.back()->x,
                columns.const_data_ptr<double>() + first * pixels,
                n * count * sizeof(double));
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
                                      &common_);
    TORCH_CHECK(solved, "cholmod_solve2 failed with status ", common_.status);
  }
}

at::Tensor SimplicialFactor::solution() {
  at::Tensor field = at::empty(shape_, at::TensorOptions(at::kDouble));
  double* destination = field.mutable_data_ptr<double>();
  for (const cholmod_dense* dense : solution_) {
    const auto* source = static_cast<const double*>(dense->x);
    destination = std::copy(source, source + dense->nrow * dense->ncol, destination);
  }
  return field;
}

}  // namespace

Competitor cholmod_transpose_solve(const SparseFactor& factor,
                                   const at::Tensor& b,
                                   std::int64_t block) {
  auto solver = std::make_shared<SimplicialFactor>(factor, b, block);
  auto answer = [solver] {
    solver->solve();
    return std::vector<at::Tensor>{solver->solution()};
  };
  return {"CHOLMOD, " + std::to_string(std::min(block, b.size(1))) + " right-hand side(s)",
          "f64, simplicial factor, solve(Lt), 1 thread",
          answer,
          clocked([solver] { solver->solve(); }),
          static_cast<double>(b.size(1))};
}

}  // namespace supn::bench
