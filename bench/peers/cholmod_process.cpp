// CHOLMOD with the BLAS it is linked with, as a peer process (peer_process.hpp). Commands:
//
//   {"do": "solve", "block": 16, …}            L⁻ᵀb
//   {"do": "condition", "ordering": "AMD", …}  conditional fields
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "../clock.hpp"
#include "blas_library.hpp"
#include "cholmod_conditioning.hpp"
#include "cholmod_solve.hpp"
#include "raw_arrays.hpp"

namespace supn::bench {
namespace {

class Problem {
 public:
  explicit Problem(const std::filesystem::path& folder)
      : folder_(folder),
        lower_{read_array<int>(folder / "start.i32"),
               read_array<int>(folder / "row.i32"),
               read_array<double>(folder / "value.f64")},
        right_(read_array<double>(folder / "b.f64")) {}

  double solve(const nlohmann::json& command);
  double condition(const nlohmann::json& command);

 private:
  struct Solver {
    std::size_t block;
    std::unique_ptr<SimplicialFactor> factor;
    std::function<double()> seconds;
  };

  std::filesystem::path folder_;
  CompressedColumns lower_;
  std::vector<double> right_;
  std::optional<CompressedColumns> precision_;
  std::optional<Solver> solver_;
};

double Problem::solve(const nlohmann::json& command) {
  const auto block = command.at("block").get<std::size_t>();
  if (!solver_ || solver_->block != block) {
    auto factor = std::make_unique<SimplicialFactor>(lower_, right_, block);
    auto seconds = clocked([solver = factor.get()] { solver->solve(); });
    solver_ = Solver{block, std::move(factor), std::move(seconds)};
  }
  if (!command.at("save").get<bool>()) return solver_->seconds();
  solver_->factor->solve();
  write_array(folder_ / "answer.f64", solver_->factor->solution());
  return 0;
}

double Problem::condition(const nlohmann::json& command) {
  if (!precision_) precision_ = precision_of(lower_);
  const KnownPixels known{read_array<std::int64_t>(folder_ / "known.i64"),
                          read_array<double>(folder_ / "values.f64"),
                          read_array<double>(folder_ / "prior.f64")};
  const auto ordering = command.at("ordering").get<std::string>();
  if (command.at("save").get<bool>()) {
    write_array(folder_ / "answer.f64", conditioned(*precision_, known, ordering));
    return 0;
  }
  const double seconds = clocked([&] { conditioned(*precision_, known, ordering); })();
  // OpenBLAS's threads look for work a while longer; the other side of the race is not to feel it.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return seconds;
}

nlohmann::json reply_to(std::optional<Problem>& problem, const nlohmann::json& command) {
  const auto what = command.at("do").get<std::string>();
  if (what == "load") {
    problem.emplace(command.at("folder").get<std::string>());
    return {{"blas", running_blas()}};
  }
  if (!problem) throw std::runtime_error("nothing is loaded");
  set_blas_threads(command.at("threads").get<int>());
  if (what == "solve") return {{"seconds", problem->solve(command)}};
  if (what == "condition") return {{"seconds", problem->condition(command)}};
  throw std::runtime_error("no such command: " + what);
}

void answer_commands() {
  std::optional<Problem> problem;
  for (std::string line; std::getline(std::cin, line);) {
    nlohmann::json reply;
    try {
      reply = reply_to(problem, nlohmann::json::parse(line));
    } catch (const std::exception& error) {  // the other side refuses the row with this text
      reply = {{"error", error.what()}};
    }
    std::cout << reply.dump() << std::endl;
  }
}

}  // namespace
}  // namespace supn::bench

int main() { supn::bench::answer_commands(); }
