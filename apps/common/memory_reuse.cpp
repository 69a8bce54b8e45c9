#include "common/memory_reuse.hpp"

#include <malloc.h>

namespace supn {

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);         // blocks of any size come from the heap
  mallopt(M_TRIM_THRESHOLD, -1);  // whose end is never given back
#endif
}

}  // namespace supn
