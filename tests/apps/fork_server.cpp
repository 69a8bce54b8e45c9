// Preloaded into an app (LD_PRELOAD): once all libraries are loaded, which takes far longer than
// most runs, the app stops before main() and runs it in a copy of itself for every request. See
// app_server.hpp.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "apps/fork_protocol.hpp"

namespace {

using Main = int (*)(int, char**, char**);
Main app_main = nullptr;

bool read_all(int descriptor, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::read(descriptor, at, bytes);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void redirect(int descriptor, const char* path, int flags) {
  const int file = ::open(path, flags, 0644);
  ::dup2(file, descriptor);
  ::close(file);
}

// Folder, file for stdout, file for stderr, then the arguments.
[[noreturn]] void run_main(std::vector<char*> words, char* program, char** environment) {
  ::close(supn::kRequestDescriptor);
  ::close(supn::kReplyDescriptor);
  if (::chdir(words[0]) != 0) std::_Exit(127);
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, words[1], O_WRONLY | O_CREAT | O_TRUNC);
  redirect(STDERR_FILENO, words[2], O_WRONLY | O_CREAT | O_TRUNC);
  ::alarm(supn::kLongestRunSeconds);
  std::vector<char*> arguments(words.begin() + 2, words.end());
  arguments[0] = program;
  arguments.push_back(nullptr);
  const int code = app_main(static_cast<int>(arguments.size()) - 1, arguments.data(), environment);
  // LibTorch takes longer to tear down its tables than most runs take.
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(code);
}

int serve(int, char** argv, char** environment) {
  std::uint32_t length = 0;
  while (read_all(supn::kRequestDescriptor, &length, sizeof length)) {
    std::string request(length, '\0');
    if (!read_all(supn::kRequestDescriptor, request.data(), length)) break;
    std::vector<char*> words;
    for (std::size_t at = 0; at < request.size(); at += std::string(&request[at]).size() + 1) {
      words.push_back(&request[at]);
    }
    const pid_t child = ::fork();
    if (child == 0) run_main(words, argv[0], environment);
    supn::AppServerReply reply;
    rusage usage{};
    if (::wait4(child, &reply.status, 0, &usage) != child) break;
    reply.peak_kb = usage.ru_maxrss;
    if (::write(supn::kReplyDescriptor, &reply, sizeof reply) != sizeof reply) break;
  }
  return 0;
}

}  // namespace

extern "C" int __libc_start_main(Main main,
                                 int argc,
                                 char** argv,
                                 void (*init)(),
                                 void (*fini)(),
                                 void (*rtld_fini)(),
                                 void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  app_main = main;
  ::unsetenv("LD_PRELOAD");  // what the app starts is not served
  const auto start = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(serve, argc, argv, init, fini, rtld_fini, stack_end);
}
