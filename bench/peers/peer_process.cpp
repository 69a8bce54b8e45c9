#include "peer_process.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "child_process.hpp"
#include "raw_arrays.hpp"

namespace supn::bench {
namespace {

std::filesystem::path own_folder(const std::string& scratch) {
  std::string name = (std::filesystem::path(scratch) / "peer-XXXXXX").string();
  TORCH_CHECK(::mkdtemp(name.data()) != nullptr, name, ": ", std::strerror(errno));
  return name;
}

template <typename Value>
void write_tensor(const std::filesystem::path& path, const at::Tensor& tensor) {
  const at::Tensor contiguous = tensor.contiguous();
  write_array(path, contiguous.const_data_ptr<Value>(), contiguous.numel());
}

at::Tensor read_fields(const std::filesystem::path& path, at::IntArrayRef shape) {
  std::vector<double> values = read_array<double>(path);
  return at::from_blob(values.data(), shape, at::TensorOptions(at::kDouble)).clone();
}

}  // namespace

struct PeerProcess::Session {
  explicit Session(const PeerCommand& command)
      : folder(own_folder(command.scratch)), process(command.words) {}
  ~Session() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::filesystem::path folder;
  ChildProcess process;
  std::string blas;
};

PeerProcess::PeerProcess(const PeerCommand& command,
                         const SparseFactor& factor,
                         const at::Tensor& b)
    : session_(std::make_shared<Session>(command)), shape_(b.sizes().vec()) {
  const std::filesystem::path& folder = session_->folder;
  write_array(folder / "start.i32", factor.column_start);
  write_array(folder / "row.i32", factor.row);
  write_array(folder / "value.f64", factor.value);
  write_tensor<double>(folder / "b.f64", b.to(at::kDouble));
  const nlohmann::json reply =
      session_->process.ask({{"do", "load"}, {"folder", folder.string()}, {"samples", b.size(1)}});
  session_->blas = reply.at("blas").get<std::string>();
}

Competitor PeerProcess::competitor(const PeerTask& task,
                                   const std::vector<std::int64_t>& shape) const {
  const auto ask = [session = session_](nlohmann::json command) {
    command["threads"] = at::get_num_threads();
    return session->process.ask(command).at("seconds").get<double>();
  };
  nlohmann::json timed = task.command;
  timed["save"] = false;
  nlohmann::json saved = task.command;
  saved["save"] = true;
  auto answer = [session = session_, ask, saved, shape] {
    ask(saved);
    return std::vector<at::Tensor>{read_fields(session->folder / "answer.f64", shape)};
  };
  auto seconds = [ask, timed] { return ask(timed); };
  return {task.name, task.settings + "; BLAS: " + session_->blas, answer, seconds};
}

Competitor PeerProcess::solve(const PeerTask& task) const {
  Competitor made = competitor(task, shape_);
  made.units = static_cast<double>(shape_[1]);
  return made;
}

Competitor PeerProcess::conditioning(const PeerTask& task) const {
  TORCH_CHECK(fields_ > 0, "PeerProcess: no conditions are set");
  return competitor(task, {1, fields_, shape_[2], shape_[3]});
}

void PeerProcess::set_conditions(const ConditioningProblem& problem) {
  const at::Tensor prior = at::cat({problem.mean, problem.draws}, 1);
  write_tensor<std::int64_t>(session_->folder / "known.i64", problem.pixels);
  write_tensor<double>(session_->folder / "values.f64", problem.values);
  write_tensor<double>(session_->folder / "prior.f64", prior);
  fields_ = prior.size(1);
}

}  // namespace supn::bench
