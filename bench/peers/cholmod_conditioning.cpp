#include <ATen/ops/cat.h>
#include <c10/util/Exception.h>
#include <cholmod.h>

#include <algorithm>

#include "../timing.hpp"
#include "cholmod_peer.hpp"

namespace supn::bench {
namespace {

struct CompressedColumns {
  std::vector<int> start;
  std::vector<int> row;
  std::vector<double> value;
};

// A view of compressed columns for CHOLMOD; stype as CHOLMOD's: 0 general, -1 lower triangle given.
cholmod_sparse sparse_view(CompressedColumns& matrix, int stype) {
  cholmod_sparse view{};
  view.nrow = view.ncol = matrix.start.size() - 1;
  view.nzmax = matrix.row.size();
  view.p = matrix.start.data();
  view.i = matrix.row.data();
  view.x = matrix.value.data();
  view.stype = stype;
  view.itype = CHOLMOD_INT;
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = 1;
  view.packed = 1;
  return view;
}

CompressedColumns copied(const cholmod_sparse& matrix) {
  const int* start = static_cast<const int*>(matrix.p);
  const int* row = static_cast<const int*>(matrix.i);
  const double* value = static_cast<const double*>(matrix.x);
  const int entries = start[matrix.ncol];
  return {{start, start + matrix.ncol + 1}, {row, row + entries}, {value, value + entries}};
}

enum class Ordering { kChosenByCholmod, kAmd, kMetis };

void set_ordering(cholmod_common& common, Ordering ordering) {
  if (ordering == Ordering::kChosenByCholmod) return;
  common.nmethods = 1;
  common.method[0].ordering = ordering == Ordering::kAmd ? CHOLMOD_AMD : CHOLMOD_METIS;
}

// One conditioning from its problem to its answer; everything is made anew, as for a new image.
class Conditioning {
 public:
  Conditioning(const CompressedColumns& precision, const ConditioningProblem& problem);
  at::Tensor run(Ordering ordering);

 private:
  void number_unknowns();
  CompressedColumns unknown_block() const;
  at::Tensor known_steps() const;
  std::vector<double> right_sides(const at::Tensor& steps) const;
  at::Tensor assembled(const at::Tensor& steps, const double* solution) const;

  const CompressedColumns& precision_;
  const ConditioningProblem& problem_;
  at::Tensor prior_;  // [1 + S, N]
  std::vector<int> unknown_of_;
  std::size_t unknowns_ = 0;
};

Conditioning::Conditioning(const CompressedColumns& precision, const ConditioningProblem& problem)
    : precision_(precision),
      problem_(problem),
      prior_(at::cat({problem.mean, problem.draws}, 1)
                 .reshape({1 + problem.draws.size(1), -1})
                 .contiguous()) {
  number_unknowns();
}

void Conditioning::number_unknowns() {
  unknown_of_.assign(precision_.start.size() - 1, 0);
  const std::int64_t* pixels = problem_.pixels.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < problem_.pixels.numel(); ++i) {
    unknown_of_[static_cast<std::size_t>(pixels[i])] = -1;
  }
  for (int& number : unknown_of_) {
    if (number == 0) number = static_cast<int>(unknowns_++);
  }
}

// The lower triangle of Λ_UU.
CompressedColumns Conditioning::unknown_block() const {
  CompressedColumns block;
  block.start.reserve(unknowns_ + 1);
  block.row.reserve(precision_.row.size() / 2 + unknowns_);
  block.value.reserve(precision_.row.size() / 2 + unknowns_);
  for (std::size_t column = 0; column + 1 < precision_.start.size(); ++column) {
    if (unknown_of_[column] < 0) continue;
    block.start.push_back(static_cast<int>(block.row.size()));
    const auto end = static_cast<std::size_t>(precision_.start[column + 1]);
    for (auto i = static_cast<std::size_t>(precision_.start[column]); i < end; ++i) {
      const auto row = static_cast<std::size_t>(precision_.row[i]);
      if (row < column || unknown_of_[row] < 0) continue;
      block.row.push_back(unknown_of_[row]);
      block.value.push_back(precision_.value[i]);
    }
  }
  block.start.push_back(static_cast<int>(block.row.size()));
  return block;
}

// What the known pixels must move by in each field, [1 + S, K].
at::Tensor Conditioning::known_steps() const {
  return problem_.values.unsqueeze(0).sub(prior_.index_select(1, problem_.pixels)).contiguous();
}

// −Λ_UK·step, column by column.
std::vector<double> Conditioning::right_sides(const at::Tensor& steps) const {
  const auto fields = static_cast<std::size_t>(steps.size(0));
  const auto known = static_cast<std::size_t>(steps.size(1));
  const double* step = steps.const_data_ptr<double>();
  const std::int64_t* pixels = problem_.pixels.const_data_ptr<std::int64_t>();
  std::vector<double> right(fields * unknowns_);
  for (std::size_t k = 0; k < known; ++k) {
    const auto column = static_cast<std::size_t>(pixels[k]);
    const auto end = static_cast<std::size_t>(precision_.start[column + 1]);
    for (auto i = static_cast<std::size_t>(precision_.start[column]); i < end; ++i) {
      const int unknown = unknown_of_[static_cast<std::size_t>(precision_.row[i])];
      if (unknown < 0) continue;
      for (std::size_t f = 0; f < fields; ++f) {
        right[f * unknowns_ + static_cast<std::size_t>(unknown)] -=
            precision_.value[i] * step[f * known + k];
      }
    }
  }
  return right;
}

at::Tensor Conditioning::assembled(const at::Tensor& steps, const double* solution) const {
  at::Tensor fields = prior_.clone();
  fields.index_add_(1, problem_.pixels, steps);
  double* value = fields.mutable_data_ptr<double>();
  for (std::int64_t f = 0; f < fields.size(0); ++f) {
    for (const int unknown : unknown_of_) {
      if (unknown >= 0)
        *value +=
            solution[static_cast<std::size_t>(f) * unknowns_ + static_cast<std::size_t>(unknown)];
      ++value;
    }
  }
  return fields.reshape({1, fields.size(0), problem_.mean.size(2), problem_.mean.size(3)});
}

at::Tensor Conditioning::run(Ordering ordering) {
  const at::Tensor steps = known_steps();
  CompressedColumns block = unknown_block();
  std::vector<double> right = right_sides(steps);
  cholmod_common common;
  cholmod_start(&common);
  set_ordering(common, ordering);
  cholmod_sparse matrix = sparse_view(block, -1);
  cholmod_factor* factor = cholmod_analyze(&matrix, &common);
  cholmod_factorize(&matrix, factor, &common);
  const int status = common.status;
  cholmod_dense b{};
  b.nrow = b.d = unknowns_;
  b.ncol = static_cast<std::size_t>(steps.size(0));
  b.nzmax = right.size();
  b.x = right.data();
  b.xtype = CHOLMOD_REAL;
  b.dtype = CHOLMOD_DOUBLE;
  cholmod_dense* x = status == CHOLMOD_OK ? cholmod_solve(CHOLMOD_A, factor, &b, &common) : nullptr;
  const at::Tensor result =
      x != nullptr ? assembled(steps, static_cast<double*>(x->x)) : at::Tensor();
  cholmod_free_dense(&x, &common);
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
  TORCH_CHECK(result.defined(), "CHOLMOD failed to factorise the precision, status ", status);
  return result;
}

Competitor conditioning_by(std::shared_ptr<const CompressedColumns> precision,
                           const ConditioningProblem& problem,
                           Ordering ordering,
                           const std::string& name) {
  auto answer = [precision, problem, ordering] {
    return std::vector<at::Tensor>{Conditioning(*precision, problem).run(ordering)};
  };
  return {"CHOLMOD of the unknowns' precision",
          "f64, " + name + " ordering, all threads in BLAS",
          answer,
          clocked([answer] { answer(); })};
}

}  // namespace

struct CholmodPrecision::Precision : CompressedColumns {};

CholmodPrecision::CholmodPrecision(const SparseFactor& factor)
    : precision_(std::make_shared<Precision>()) {
  CompressedColumns lower{factor.column_start, factor.row, factor.value};
  cholmod_common common;
  cholmod_start(&common);
  cholmod_sparse view = sparse_view(lower, 0);
  constexpr int kWithValues = 1;
  cholmod_sparse* product = cholmod_aat(&view, nullptr, 0, kWithValues, &common);
  const bool sorted = product != nullptr && cholmod_sort(product, &common) != 0;
  if (sorted) static_cast<CompressedColumns&>(*precision_) = copied(*product);
  cholmod_free_sparse(&product, &common);
  cholmod_finish(&common);
  TORCH_CHECK(sorted, "CHOLMOD failed to multiply L with its transpose");
}

CholmodPrecision::~CholmodPrecision() = default;
CholmodPrecision::CholmodPrecision(CholmodPrecision&&) noexcept = default;

std::vector<Competitor> CholmodPrecision::conditionings(const ConditioningProblem& problem) const {
  return {conditioning_by(precision_, problem, Ordering::kChosenByCholmod, "CHOLMOD's choice of"),
          conditioning_by(precision_, problem, Ordering::kAmd, "AMD"),
          conditioning_by(precision_, problem, Ordering::kMetis, "METIS")};
}

}  // namespace supn::bench
