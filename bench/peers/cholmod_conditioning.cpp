#include "cholmod_conditioning.hpp"

#include <stdexcept>

namespace supn::bench {
namespace {

// CHOLMOD's stype: the whole matrix is given, or its lower triangle of a symmetric one.
enum class Stored { kGeneral = 0, kLowerTriangle = -1 };

cholmod_sparse sparse_view(CompressedColumns& matrix, Stored stored) {
  cholmod_sparse view{};
  view.nrow = view.ncol = matrix.columns();
  view.nzmax = matrix.row.size();
  view.p = matrix.start.data();
  view.i = matrix.row.data();
  view.x = matrix.value.data();
  view.stype = static_cast<int>(stored);
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

void set_ordering(cholmod_common& common, const std::string& ordering) {
  if (ordering != "AMD" && ordering != "METIS") return;
  common.nmethods = 1;
  common.method[0].ordering = ordering == "AMD" ? CHOLMOD_AMD : CHOLMOD_METIS;
}

class Conditioning {
 public:
  Conditioning(const CompressedColumns& precision, const KnownPixels& known)
      : precision_(precision), known_(known), fields_(known.prior.size() / precision.columns()) {
    number_unknowns();
  }
  std::vector<double> run(const std::string& ordering) const;

 private:
  void number_unknowns();
  CompressedColumns unknown_block() const;
  double step(std::size_t field, std::size_t k) const;
  std::vector<double> right_sides() const;
  std::vector<double> assembled(const double* solution) const;

  const CompressedColumns& precision_;
  const KnownPixels& known_;
  std::size_t fields_;
  std::vector<int> unknown_of_;  // of a pixel; -1 where it is known
  std::size_t unknowns_ = 0;
};

void Conditioning::number_unknowns() {
  unknown_of_.assign(precision_.columns(), 0);
  for (const std::int64_t pixel : known_.pixels) unknown_of_[static_cast<std::size_t>(pixel)] = -1;
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
  for (std::size_t column = 0; column < precision_.columns(); ++column) {
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

// What known pixel k must move by in a field.
double Conditioning::step(std::size_t field, std::size_t k) const {
  const auto pixel = static_cast<std::size_t>(known_.pixels[k]);
  return known_.values[k] - known_.prior[field * precision_.columns() + pixel];
}

// −Λ_UK·step, column by column.
std::vector<double> Conditioning::right_sides() const {
  std::vector<double> right(fields_ * unknowns_);
  for (std::size_t k = 0; k < known_.pixels.size(); ++k) {
    const auto column = static_cast<std::size_t>(known_.pixels[k]);
    const auto end = static_cast<std::size_t>(precision_.start[column + 1]);
    for (auto i = static_cast<std::size_t>(precision_.start[column]); i < end; ++i) {
      const int unknown = unknown_of_[static_cast<std::size_t>(precision_.row[i])];
      if (unknown < 0) continue;
      for (std::size_t f = 0; f < fields_; ++f) {
        right[f * unknowns_ + static_cast<std::size_t>(unknown)] -=
            precision_.value[i] * step(f, k);
      }
    }
  }
  return right;
}

std::vector<double> Conditioning::assembled(const double* solution) const {
  std::vector<double> values = known_.prior;
  for (std::size_t f = 0; f < fields_; ++f) {
    double* field = values.data() + f * precision_.columns();
    for (std::size_t n = 0; n < precision_.columns(); ++n) {
      const int unknown = unknown_of_[n];
      if (unknown >= 0) field[n] += solution[f * unknowns_ + static_cast<std::size_t>(unknown)];
    }
    for (std::size_t k = 0; k < known_.pixels.size(); ++k) {
      field[static_cast<std::size_t>(known_.pixels[k])] = known_.values[k];
    }
  }
  return values;
}

std::vector<double> Conditioning::run(const std::string& ordering) const {
  CompressedColumns block = unknown_block();
  std::vector<double> right = right_sides();
  CholmodCommon common;
  set_ordering(*common.get(), ordering);
  cholmod_sparse matrix = sparse_view(block, Stored::kLowerTriangle);
  cholmod_factor* factor = cholmod_analyze(&matrix, common.get());
  cholmod_factorize(&matrix, factor, common.get());
  const int status = common->status;
  cholmod_dense b{};
  b.nrow = b.d = unknowns_;
  b.ncol = fields_;
  b.nzmax = right.size();
  b.x = right.data();
  b.xtype = CHOLMOD_REAL;
  b.dtype = CHOLMOD_DOUBLE;
  cholmod_dense* x =
      status == CHOLMOD_OK ? cholmod_solve(CHOLMOD_A, factor, &b, common.get()) : nullptr;
  std::vector<double> result;
  if (x != nullptr) result = assembled(static_cast<double*>(x->x));
  cholmod_free_dense(&x, common.get());
  cholmod_free_factor(&factor, common.get());
  if (result.empty()) {
    throw std::runtime_error("CHOLMOD failed to factorise the precision, status " +
                             std::to_string(status));
  }
  return result;
}

}  // namespace

CompressedColumns precision_of(const CompressedColumns& factor) {
  CompressedColumns lower = factor;
  CholmodCommon common;
  cholmod_sparse view = sparse_view(lower, Stored::kGeneral);
  constexpr int kWithValues = 1;
  cholmod_sparse* product = cholmod_aat(&view, nullptr, 0, kWithValues, common.get());
  CompressedColumns precision;
  if (product != nullptr && cholmod_sort(product, common.get()) != 0) precision = copied(*product);
  cholmod_free_sparse(&product, common.get());
  if (precision.start.empty()) {
    throw std::runtime_error("CHOLMOD failed to multiply L with its transpose");
  }
  return precision;
}

std::vector<double> conditioned(const CompressedColumns& precision,
                                const KnownPixels& known,
                                const std::string& ordering) {
  return Conditioning(precision, known).run(ordering);
}

}  // namespace supn::bench
