#include "common/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "common/run_app.hpp"

namespace supn {
namespace {

volatile std::sig_atomic_t g_requested = 0;

void on_interrupt(int) {
  g_requested = 1;
  constexpr std::string_view kNotice = "\nstopping after the current step; Ctrl-C again: at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kNotice.data(), kNotice.size());
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  // Back to the default after the first: the second one kills. Reads and writes are restarted.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

bool interrupt_requested() { return g_requested != 0; }

void throw_if_interrupted() {
  if (interrupt_requested()) throw Interrupted();
}

}  // namespace supn
