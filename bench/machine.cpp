#include "machine.hpp"

#include <ATen/Parallel.h>
#include <sched.h>

#include <cstdlib>
#include <fstream>

namespace supn::bench {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string extensions() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "AVX-512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "AVX2";
  return "SSE2";
#else
  return "not x86-64";
#endif
}

int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

Machine this_machine() { return {cpu_model(), extensions(), usable_cores()}; }

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

ThreadScope::ThreadScope(int threads) : before_(at::get_num_threads()) {
  at::set_num_threads(threads);
}

ThreadScope::~ThreadScope() { at::set_num_threads(before_); }

}  // namespace supn::bench
