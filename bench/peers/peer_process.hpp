// A library that computes in a process of its own, so that it runs with the BLAS it is linked with
// and not with the one inside LibTorch. Commands are lines of JSON, arrays raw files:
//
//   {"do": "load", "folder": F, "samples": S}   start.i32 [N+1], row.i32, value.f64 of L in
//                                               compressed columns; b.f64 [S,N]
//   a solve or a conditioning                   with "save": true or false and "threads"; answer.f64
//                                               [F,N] if saved
//
// A conditioning also reads known.i64 [K], values.f64 [K] and prior.f64 [F,N], the mean and draws.
// The reply to `load` names the "blas" that runs, as the library itself reports it; other replies
// have the "seconds" of the call alone, by the process's own clock.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../competitor.hpp"
#include "../sparse_factor.hpp"

namespace supn::bench {

struct PeerCommand {
  std::vector<std::string> words;  // the program and its arguments; none: this peer is not here
  std::string scratch;             // an existing folder, in which each process gets its own
};

// A conditioning problem: pixels known exactly, and draws of the prior to be conditioned.
struct ConditioningProblem {
  at::Tensor mean;    // [1,1,H,W] float64
  at::Tensor draws;   // [1,S,H,W] float64
  at::Tensor pixels;  // [K] int64, ascending
  at::Tensor values;  // [K] float64
};

// What a process is asked, and what it is called in the row.
struct PeerTask {
  std::string name;
  std::string settings;  // the BLAS is added
  nlohmann::json command;
};

class PeerProcess {
 public:
  // Starts the process and hands it L and b [1,S,H,W]. Throws with the process's own words if it
  // cannot (no such program, no SciPy).
  PeerProcess(const PeerCommand& command, const SparseFactor& factor, const at::Tensor& b);

  // Its answer has the shape of b; a unit is a sample.
  Competitor solve(const PeerTask& task) const;
  // [1,1+S,H,W]: conditional mean, then the draws by Matheron's rule; a unit is the whole.
  Competitor conditioning(const PeerTask& task) const;
  // The problem of all conditionings from now on, those asked for before included.
  void set_conditions(const ConditioningProblem& problem);

 private:
  struct Session;
  Competitor competitor(const PeerTask& task, const std::vector<std::int64_t>& shape) const;

  std::shared_ptr<Session> session_;
  std::vector<std::int64_t> shape_;  // of b
  std::int64_t fields_ = 0;          // of the conditions' mean and draws
};

}  // namespace supn::bench
