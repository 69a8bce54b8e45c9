// Freed memory stays with the process. For the programs that allocate the same large tensors over
// and over: a training step, an ensemble's members. glibc gives blocks beyond 32 MiB back as they
// are freed, and the kernel then clears every page of the next one anew; a training step on the CPU
// spends more than a tenth of its time on that.
#pragma once

namespace supn {

// Call this before the first large allocation. The process then stays as large as it once was.
// Nothing happens where the C library isn't glibc.
void keep_freed_memory();

}  // namespace supn
