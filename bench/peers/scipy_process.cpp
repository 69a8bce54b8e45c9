#include "scipy_process.hpp"

#include <c10/util/Exception.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace supn::bench {
namespace {

using Pipe = std::array<int, 2>;  // end to read from, end to write to

Pipe make_pipe() {
  Pipe ends{};
  TORCH_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "SciPy: pipe: ", std::strerror(errno));
  return ends;
}

pid_t spawn(const ScipyCommand& command, const Pipe& input, const Pipe& output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  std::vector<std::string> words{command.python, command.program};
  std::array<char*, 3> arguments{words[0].data(), words[1].data(), nullptr};
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  TORCH_CHECK(error == 0, "SciPy: ", command.python, ": ", std::strerror(error));
  return child;
}

}  // namespace

ScipyProcess::ScipyProcess(const ScipyCommand& command) : scratch_(command.scratch) {
  // A process that died must show as a failed write, not end this one.
  std::signal(SIGPIPE, SIG_IGN);
  const Pipe input = make_pipe();
  const Pipe output = make_pipe();
  child_ = spawn(command, input, output);
  ::close(input[0]);
  ::close(output[1]);
  to_child_ = ::fdopen(input[1], "w");
  from_child_ = ::fdopen(output[0], "r");
  TORCH_CHECK(to_child_ != nullptr && from_child_ != nullptr, "SciPy: no stream to the process");
}

ScipyProcess::~ScipyProcess() {
  if (to_child_ != nullptr) std::fclose(to_child_);  // its loop ends with its input
  if (from_child_ != nullptr) std::fclose(from_child_);
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

nlohmann::json ScipyProcess::ask(const nlohmann::json& command) {
  const std::string line = command.dump() + "\n";
  const bool sent = std::fputs(line.c_str(), to_child_) >= 0 && std::fflush(to_child_) == 0;
  char* text = nullptr;
  std::size_t capacity = 0;
  const ssize_t length = sent ? ::getline(&text, &capacity, from_child_) : -1;
  const std::string reply = length > 0 ? std::string(text, static_cast<std::size_t>(length)) : "";
  std::free(text);
  TORCH_CHECK(!reply.empty(), "the SciPy process has ended (is scipy installed for its Python?)");
  nlohmann::json answer = nlohmann::json::parse(reply);
  TORCH_CHECK(!answer.contains("error"), "SciPy: ", answer["error"].get<std::string>());
  return answer;
}

}  // namespace supn::bench
