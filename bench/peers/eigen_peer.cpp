#include "eigen_peer.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <cmath>
#include <numbers>
#include <string>

#include "../timing.hpp"

namespace supn::bench {
namespace {

using SparseRows = Eigen::SparseMatrix<float, Eigen::RowMajor>;
using SparseColumns = Eigen::SparseMatrix<float, Eigen::ColMajor>;
using DenseColumns = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using DenseRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const DenseColumns> columns_of(const at::Tensor& field) {
  const auto pixels = static_cast<Eigen::Index>(field.size(2) * field.size(3));
  return {field.const_data_ptr<float>(), pixels, static_cast<Eigen::Index>(field.size(1))};
}

at::Tensor field_of(const DenseColumns& columns, const at::Tensor& like) {
  at::Tensor field = at::empty_like(like);
  Eigen::Map<DenseColumns>(field.mutable_data_ptr<float>(), columns.rows(), columns.cols()) =
      columns;
  return field;
}

// The right-hand sides in Eigen's layout are made before; each run copies and solves in place.
template <typename Sparse, typename Dense>
Competitor transpose_solve(const Sparse& upper, const at::Tensor& b, const std::string& settings) {
  auto right = std::make_shared<Dense>(columns_of(b));
  auto solution = std::make_shared<Dense>(*right);
  auto solve = [&upper, right, solution] {
    *solution = *right;
    upper.template triangularView<Eigen::Upper>().solveInPlace(*solution);
  };
  auto answer = [solve, solution, like = b] {
    solve();
    return std::vector<at::Tensor>{field_of(DenseColumns(*solution), like)};
  };
  return {
      "Eigen triangular solve", settings, answer, clocked(solve), static_cast<double>(b.size(1))};
}

template <typename Sparse>
Competitor parallel_transpose_solve(const Sparse& upper,
                                    const at::Tensor& b,
                                    const std::string& settings) {
  auto right = std::make_shared<DenseColumns>(columns_of(b));
  auto solution = std::make_shared<DenseColumns>(*right);
  auto solve = [&upper, right, solution] {
    at::parallel_for(0, right->cols(), 1, [&](std::int64_t begin, std::int64_t end) {
      auto part = solution->middleCols(begin, end - begin);
      part = right->middleCols(begin, end - begin);
      upper.template triangularView<Eigen::Upper>().solveInPlace(part);
    });
  };
  auto answer = [solve, solution, like = b] {
    solve();
    return std::vector<at::Tensor>{field_of(*solution, like)};
  };
  return {"Eigen, columns dealt to threads",
          settings,
          answer,
          clocked(solve),
          static_cast<double>(b.size(1))};
}

template <typename Sparse>
Competitor log_prob_by(const Sparse& upper,
                       const at::Tensor& d,
                       const at::Tensor& mean,
                       const std::string& settings,
                       double constant) {
  auto whitened = std::make_shared<Eigen::VectorXf>(upper.rows());
  auto residual = std::make_shared<Eigen::VectorXf>(upper.rows());
  auto value = std::make_shared<double>();
  auto compute = [&upper, whitened, residual, value, d, mean, constant] {
    *residual = columns_of(d).col(0) - columns_of(mean).col(0);
    whitened->noalias() = upper * *residual;
    *value = constant - 0.5 * static_cast<double>(whitened->squaredNorm());
  };
  auto answer = [compute, value] {
    compute();
    return std::vector<at::Tensor>{at::full({1, 1}, *value, at::TensorOptions(at::kDouble))};
  };
  return {"Eigen sparse product", settings, answer, clocked(compute)};
}

}  // namespace

struct EigenPeer::Matrices {
  SparseRows rows;
  SparseColumns columns;
};

EigenPeer::EigenPeer(const SparseFactor& factor) : matrices_(std::make_unique<Matrices>()) {
  const Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor>> upper(
      factor.pixels,
      factor.pixels,
      static_cast<Eigen::Index>(factor.row.size()),
      factor.column_start.data(),
      factor.row.data(),
      factor.value.data());
  matrices_->rows = upper.cast<float>();
  matrices_->columns = matrices_->rows;
}

EigenPeer::~EigenPeer() = default;
EigenPeer::EigenPeer(EigenPeer&&) noexcept = default;
EigenPeer& EigenPeer::operator=(EigenPeer&&) noexcept = default;

std::vector<Competitor> EigenPeer::transpose_solves(const at::Tensor& b) const {
  const SparseRows& rows = matrices_->rows;
  const SparseColumns& columns = matrices_->columns;
  std::vector<Competitor> solves{
      transpose_solve<SparseRows, DenseColumns>(rows, b, "f32, 1 thread, CSR, b by columns"),
      transpose_solve<SparseColumns, DenseColumns>(columns, b, "f32, 1 thread, CSC, b by columns")};
  if (b.size(1) > 1) {
    solves.push_back(
        transpose_solve<SparseRows, DenseRows>(rows, b, "f32, 1 thread, CSR, b by rows"));
    solves.push_back(
        transpose_solve<SparseColumns, DenseRows>(columns, b, "f32, 1 thread, CSC, b by rows"));
  }
  return solves;
}

std::vector<Competitor> EigenPeer::parallel_transpose_solves(const at::Tensor& b) const {
  return {parallel_transpose_solve(matrices_->rows, b, "f32, CSR, b by columns"),
          parallel_transpose_solve(matrices_->columns, b, "f32, CSC, b by columns")};
}

std::vector<Competitor> EigenPeer::log_probs(const at::Tensor& d,
                                             const at::Tensor& mean,
                                             double log_diagonal_sum) const {
  const double constant = log_diagonal_sum - 0.5 * static_cast<double>(matrices_->rows.rows()) *
                                                 std::log(2 * std::numbers::pi);
  return {log_prob_by(matrices_->rows, d, mean, "f32, CSR, all threads", constant),
          log_prob_by(matrices_->columns, d, mean, "f32, CSC, 1 thread", constant)};
}

}  // namespace supn::bench
