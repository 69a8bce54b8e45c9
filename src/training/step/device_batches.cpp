#include "training/step/device_batches.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>
#include <vector>

namespace supn {
namespace {

std::vector<at::Tensor*> moved_parts(Batch& batch) {
  std::vector<at::Tensor*> parts{&batch.image};
  for (at::Tensor& maps : batch.predictions) parts.push_back(&maps);
  return parts;
}

}  // namespace

DeviceBatches::DeviceBatches(Source next, const c10::Device& device)
    : source_(std::move(next)), device_(device) {
  if (device_.is_cuda()) {
    stream_ = c10::impl::VirtualGuardImpl(device_.type()).getStreamFromGlobalPool(device_);
  }
  begin();
}

void DeviceBatches::begin() {
  coming_ = std::async(std::launch::async, [this] { return fetch(); });
}

DeviceBatches::Arriving DeviceBatches::fetch() {
  Arriving result{source_(), std::nullopt};
  if (!result.batch) return result;
  const c10::OptionalStreamGuard own_stream(stream_);
  for (at::Tensor* part : moved_parts(*result.batch)) {
    if (stream_) *part = part->pin_memory();
    *part = part->to(device_, /*non_blocking=*/stream_.has_value());
  }
  if (stream_) {
    result.arrival.emplace(device_.type());
    result.arrival->record(*stream_);
  }
  return result;
}

std::optional<Batch> DeviceBatches::next() {
  if (!coming_.valid()) begin();  // after an error
  Arriving arriving = coming_.get();
  if (!arriving.batch) return std::nullopt;
  begin();
  if (arriving.arrival) {
    const c10::Stream work = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
    arriving.arrival->block(work);
    // Their memory belongs to the stream of copies, which must not reuse it too early.
    for (at::Tensor* part : moved_parts(*arriving.batch)) part->record_stream(work);
  }
  return std::move(arriving.batch);
}

}  // namespace supn
