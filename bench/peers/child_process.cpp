#include "child_process.hpp"

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
#include <filesystem>

namespace supn::bench {
namespace {

using Pipe = std::array<int, 2>;  // end to read from, end to write to

Pipe make_pipe() {
  Pipe ends{};
  TORCH_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "pipe: ", std::strerror(errno));
  return ends;
}

pid_t spawn(std::vector<std::string>& words, const Pipe& input, const Pipe& output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  TORCH_CHECK(error == 0, words[0], ": ", std::strerror(error));
  return child;
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> words)
    : name_(std::filesystem::path(words.back()).filename().string()) {
  // A process that died must show as a failed write, not end this one.
  std::signal(SIGPIPE, SIG_IGN);
  const Pipe input = make_pipe();
  const Pipe output = make_pipe();
  child_ = spawn(words, input, output);
  ::close(input[0]);
  ::close(output[1]);
  to_child_ = ::fdopen(input[1], "w");
  from_child_ = ::fdopen(output[0], "r");
  TORCH_CHECK(to_child_ != nullptr && from_child_ != nullptr, name_, ": no stream to the process");
}

ChildProcess::~ChildProcess() {
  if (to_child_ != nullptr) std::fclose(to_child_);  // its loop ends with its input
  if (from_child_ != nullptr) std::fclose(from_child_);
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

nlohmann::json ChildProcess::ask(const nlohmann::json& command) {
  const std::string line = command.dump() + "\n";
  const bool sent = std::fputs(line.c_str(), to_child_) >= 0 && std::fflush(to_child_) == 0;
  char* text = nullptr;
  std::size_t capacity = 0;
  const ssize_t length = sent ? ::getline(&text, &capacity, from_child_) : -1;
  const std::string reply = length > 0 ? std::string(text, static_cast<std::size_t>(length)) : "";
  std::free(text);
  TORCH_CHECK(!reply.empty(), name_, ": the process has ended without an answer");
  nlohmann::json answer = nlohmann::json::parse(reply);
  TORCH_CHECK(!answer.contains("error"), name_, ": ", answer["error"].get<std::string>());
  return answer;
}

}  // namespace supn::bench
