// After one Ctrl-C or polite kill (SIGINT, SIGTERM) work stops at its next progress step, after a
// second at once. A file beyond the size that the system allows is an error of the write, not the
// end of the process.
#pragma once

namespace supn {

void catch_interrupts();
bool interrupt_requested();
// The exit code that tells a shell which signal it was: 130 for SIGINT, 143 for SIGTERM.
int interrupt_exit_code();

}  // namespace supn
