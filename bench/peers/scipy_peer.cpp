#include "scipy_peer.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <filesystem>
#include <fstream>

#include "scipy_process.hpp"

namespace supn::bench {
namespace {

void write_raw(const std::filesystem::path& path, const void* data, std::size_t bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  file.flush();
  TORCH_CHECK(file.good(), path.string(), ": cannot be written");
}

template <typename Value>
void write_array(const std::filesystem::path& path, const std::vector<Value>& values) {
  write_raw(path, values.data(), values.size() * sizeof(Value));
}

void write_tensor(const std::filesystem::path& path, const at::Tensor& tensor) {
  const at::Tensor contiguous = tensor.contiguous();
  write_raw(path, contiguous.const_data_ptr(), contiguous.nbytes());
}

at::Tensor read_fields(const std::filesystem::path& path, at::IntArrayRef shape) {
  at::Tensor fields = at::empty(shape, at::TensorOptions(at::kDouble));
  std::ifstream file(path, std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(fields.nbytes());
  file.read(static_cast<char*>(fields.mutable_data_ptr()), bytes);
  TORCH_CHECK(file.gcount() == bytes, path.string(), ": ", bytes, " bytes expected");
  return fields;
}

}  // namespace

ScipyPeer::ScipyPeer(const ScipyCommand& command, const SparseFactor& factor, const at::Tensor& b)
    : process_(std::make_shared<ScipyProcess>(command)), b_(b) {
  const std::filesystem::path folder = command.scratch;
  write_array(folder / "start.i32", factor.column_start);
  write_array(folder / "row.i32", factor.row);
  write_array(folder / "value.f64", factor.value);
  write_tensor(folder / "b.f64", b.to(at::kDouble));
  process_->ask({{"do", "load"}, {"folder", command.scratch}, {"samples", b.size(1)}});
}

Competitor ScipyPeer::competitor(const std::string& name,
                                 const std::string& settings,
                                 const std::string& command,
                                 const at::Tensor& like) const {
  auto answer = [process = process_, command, shape = like.sizes().vec()] {
    process->ask({{"do", command}, {"save", true}});
    return std::vector<at::Tensor>{
        read_fields(std::filesystem::path(process->scratch()) / "answer.f64", shape)};
  };
  auto seconds = [process = process_, command] {
    return process->ask({{"do", command}, {"save", false}})["seconds"].get<double>();
  };
  return {name, settings, answer, seconds, static_cast<double>(like.size(1))};
}

Competitor ScipyPeer::triangular_solve() const {
  return competitor("SciPy spsolve_triangular", "f64, CSC", "spsolve_triangular", b_);
}

Competitor ScipyPeer::superlu_solve() const {
  return competitor("SciPy splu(L).solve", "f64, factorised before, natural order", "splu", b_);
}

Competitor ScipyPeer::conditioning(const ConditioningProblem& problem) const {
  const std::filesystem::path folder = process_->scratch();
  const at::Tensor prior = at::cat({problem.mean, problem.draws}, 1);
  write_tensor(folder / "known.i64", problem.pixels);
  write_tensor(folder / "values.f64", problem.values);
  write_tensor(folder / "prior.f64", prior);
  Competitor whole = competitor("SciPy splu of the unknowns' precision",
                                "f64, MMD_AT_PLUS_A ordering, symmetric mode",
                                "condition",
                                prior);
  whole.units = 1;  // one unit is the whole conditioning
  return whole;
}

}  // namespace supn::bench
