// A child process with which lines of JSON are exchanged.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace supn::bench {

class ChildProcess {
 public:
  // Starts the program with its arguments, words[0] being looked up in PATH. Throws c10::Error if
  // no process can be made.
  explicit ChildProcess(std::vector<std::string> words);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The reply to one command. Throws c10::Error if the process reports an error or has ended.
  nlohmann::json ask(const nlohmann::json& command);

 private:
  std::string name_;  // of the program, for messages
  pid_t child_ = -1;
  std::FILE* to_child_ = nullptr;
  std::FILE* from_child_ = nullptr;
};

}  // namespace supn::bench
