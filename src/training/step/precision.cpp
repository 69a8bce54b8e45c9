#include "training/step/precision.hpp"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include "supn/errors.hpp"

namespace supn {
namespace {

bool has_bfloat16_instructions() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return true;  // not known
#endif
}

}  // namespace

void check_precision(Precision precision, const c10::Device& device) {
  if (precision != Precision::kBf16 || !device.is_cpu() || has_bfloat16_instructions()) return;
  throw ConfigError(
      "training.precision: bf16 needs a GPU or a processor with AVX512-BF16, which this one does "
      "not have; use float32");
}

StepPrecision::StepPrecision(Precision precision) : before_(at::globalContext().allowTF32CuDNN()) {
  at::globalContext().setAllowTF32CuDNN(precision == Precision::kTf32);
}

StepPrecision::~StepPrecision() { at::globalContext().setAllowTF32CuDNN(before_); }

void lay_out_channels_last(const SupnNetworkImpl& network) {
  const at::NoGradGuard no_grad;
  for (at::Tensor parameter : network.parameters()) {
    if (parameter.dim() == 4) {
      parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
}

}  // namespace supn
