// Preloaded into an app: a file system that has no locks, as some network file systems.
#include <cerrno>

extern "C" int flock(int, int) {
  errno = ENOLCK;
  return -1;
}
