#include "apps/app_server.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "apps/fork_protocol.hpp"

namespace supn {
namespace {

std::string take_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove(path);
  return text;
}

}  // namespace

AppServer::AppServer(const std::string& app) {
  std::array<int, 2> requests{};
  std::array<int, 2> replies{};
  if (::pipe2(requests.data(), O_CLOEXEC) != 0 || ::pipe2(replies.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("pipe failed");
  }
  const std::string program = std::string(SUPN_BINARY_DIR "/bin/") + app;
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(requests[0], kRequestDescriptor);
    ::dup2(replies[1], kReplyDescriptor);
    const char* others = std::getenv("LD_PRELOAD");
    const std::string preloads = std::string(SUPN_FORK_SERVER ":") + (others ? others : "");
    ::setenv("LD_PRELOAD", preloads.c_str(), 1);
    ::execl(program.c_str(), program.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(requests[0]);
  ::close(replies[1]);
  requests_ = requests[1];
  replies_ = replies[0];
}

AppServer::~AppServer() {
  ::close(requests_);
  ::close(replies_);
  ::waitpid(process_, nullptr, 0);
}

ServedRun AppServer::run(const std::filesystem::path& folder,
                         const std::vector<std::string>& arguments) const {
  const std::string out = folder.string() + ".out";
  const std::string err = folder.string() + ".err";
  std::string request;
  for (const std::string& word : {folder.string(), out, err}) request += word + '\0';
  for (const std::string& word : arguments) request += word + '\0';
  const auto length = static_cast<std::uint32_t>(request.size());
  request.insert(0, reinterpret_cast<const char*>(&length), sizeof length);
  AppServerReply reply;
  if (::write(requests_, request.data(), request.size()) != static_cast<ssize_t>(request.size()) ||
      ::read(replies_, &reply, sizeof reply) != sizeof reply) {
    throw std::runtime_error("the app's server has died");
  }
  const int code =
      WIFEXITED(reply.status) ? WEXITSTATUS(reply.status) : 128 + WTERMSIG(reply.status);
  return {{code, take_file(out), take_file(err)}, reply.peak_kb};
}

}  // namespace supn
