#include "apps/app_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "serialization/temporary_folder.hpp"

namespace supn {
namespace {

void redirect(int descriptor, const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags, 0644);
  ::dup2(file, descriptor);
  ::close(file);
}

}  // namespace

AppProcess::AppProcess(const std::filesystem::path& folder,
                       const std::string& name,
                       std::vector<std::string> arguments,
                       const std::function<void()>& prepare)
    : out_(folder.string() + ".out"), err_(folder.string() + ".err") {
  arguments.insert(arguments.begin(), std::string(SUPN_BINARY_DIR "/bin/") + name);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("fork failed");
  if (process_ > 0) return;
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, out_, O_WRONLY | O_CREAT | O_TRUNC);
  redirect(STDERR_FILENO, err_, O_WRONLY | O_CREAT | O_TRUNC);
  if (::chdir(folder.c_str()) == 0) {
    prepare();
    ::execv(argv.front(), argv.data());
  }
  ::_exit(127);
}

AppProcess::~AppProcess() {
  if (!ended_) {
    send(SIGKILL);
    finish();
  }
  std::filesystem::remove(out_);
  std::filesystem::remove(err_);
}

bool AppProcess::is_running() {
  if (!ended_) ended_ = ::waitpid(process_, &status_, WNOHANG) == process_;
  return !ended_;
}

void AppProcess::send(int signal) const { ::kill(process_, signal); }

AppRun AppProcess::finish() {
  if (!ended_) ::waitpid(process_, &status_, 0);
  ended_ = true;
  const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  return {code, test::read_bytes(out_), test::read_bytes(err_)};
}

bool wait_until(AppProcess& process, const std::function<bool()>& condition) {
  while (process.is_running()) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  return false;
}

}  // namespace supn
