// A child process with which lines are exchanged.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "scipy_peer.hpp"

namespace supn::bench {

class ScipyProcess {
 public:
  // Throws c10::Error if no process can be made.
  explicit ScipyProcess(const ScipyCommand& command);
  ~ScipyProcess();
  ScipyProcess(const ScipyProcess&) = delete;
  ScipyProcess& operator=(const ScipyProcess&) = delete;

  // The reply to one command. Throws c10::Error if the process reports an error or has ended.
  nlohmann::json ask(const nlohmann::json& command);

  const std::string& scratch() const { return scratch_; }

 private:
  std::string scratch_;
  pid_t child_ = -1;
  std::FILE* to_child_ = nullptr;
  std::FILE* from_child_ = nullptr;
};

}  // namespace supn::bench
