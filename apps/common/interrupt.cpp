#include "common/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "common/run_app.hpp"

namespace supn {
namespace {

constexpr int kSignalBase = 128;

std::atomic<int> g_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

// Sets both back to the default: the next one kills. Makes only async-signal-safe calls.
void on_interrupt(int signal) {
  const bool is_first = g_signal.exchange(signal) == 0;
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGINT, &standard, nullptr);
  sigaction(SIGTERM, &standard, nullptr);
  if (!is_first) {
    ::raise(signal);  // two at once, in two threads: it is delivered when this handler returns
    return;
  }
  constexpr std::string_view kNotice = "\nstopping after the current step; once more: at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kNotice.data(), kNotice.size());
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  // Both are held back while one is handled; reads and writes are restarted.
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupt_requested() { return g_signal != 0; }

int interrupt_exit_code() {
  const int signal = g_signal;
  return kSignalBase + (signal == 0 ? SIGINT : signal);
}

void throw_if_interrupted() {
  if (interrupt_requested()) throw Interrupted();
}

}  // namespace supn
