// SUPN_KERNEL in front of a function compiles it for every x86-64 level and picks one when the
// program starts. Such functions use fused_multiply_add, which is one rounding everywhere (an
// instruction where there is one, libm's fma elsewhere), and -ffp-contract=off: every level gives
// the same bits.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SUPN_KERNEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
// The sanitizers' runtimes start after the choice of a clone (ifunc) and would crash in it.
#define SUPN_KERNEL
#endif

// For functions that kernels call: each clone needs its own copy.
#define SUPN_INLINE inline __attribute__((always_inline))

namespace supn {

// a·b + c with one rounding.
SUPN_INLINE float fused_multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SUPN_INLINE double fused_multiply_add(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

}  // namespace supn
