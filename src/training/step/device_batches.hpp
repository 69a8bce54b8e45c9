// Batches that are on the device when a step wants them: the next one is loaded, and its copy under
// way, while the step of the last one runs.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <functional>
#include <future>
#include <optional>

#include "supn/data/batch.hpp"

namespace supn {

class DeviceBatches {
 public:
  using Source = std::function<std::optional<Batch>()>;

  // `next` is called by a thread of its own, one call at a time; it must outlive this object. For a
  // GPU batches are copied from pinned memory, by a stream that nothing else uses.
  DeviceBatches(Source next, const c10::Device& device);
  // Waits for the batch in the making.
  ~DeviceBatches() = default;
  DeviceBatches(const DeviceBatches&) = delete;
  DeviceBatches& operator=(const DeviceBatches&) = delete;

  // Images and members' maps on the device, ready for the work that the caller queues there. At the
  // source's end nothing. Throws what the source threw.
  std::optional<Batch> next();

 private:
  struct Arriving {
    std::optional<Batch> batch;
    std::optional<c10::Event> arrival;  // where there are streams
  };

  Arriving fetch();
  void begin();

  Source source_;
  c10::Device device_;
  std::optional<c10::Stream> stream_;
  std::future<Arriving> coming_;
};

}  // namespace supn
