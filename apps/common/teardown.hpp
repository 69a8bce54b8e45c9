// Ends a process without LibTorch's teardown.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace supn {

// Libraries have registered their teardown before main(), to be done at exit: LibTorch takes 70 ms
// to take down its tables of operators, a quarter of a short run, for memory that goes back to the
// system anyway. What is registered after this call is still done. Sanitizers look for leaks and
// races at exit, so it is theirs then.
inline void skip_teardown_at_exit() {
#ifndef SUPN_SANITIZE
  ::on_exit(
      [](int code, void*) {
        std::fflush(nullptr);
        ::_exit(code);
      },
      nullptr);
#endif
}

}  // namespace supn
