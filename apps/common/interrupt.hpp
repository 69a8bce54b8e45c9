// Ctrl-C, once: work stops at its next progress step; twice: at once.
#pragma once

namespace supn {

void catch_interrupts();
bool interrupt_requested();

}  // namespace supn
