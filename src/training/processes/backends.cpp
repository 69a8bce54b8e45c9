#define USE_C10D_GLOO
#include "training/processes/backends.hpp"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#ifdef SUPN_NCCL
#define USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include <chrono>

namespace supn {
namespace {

// The others wait for the first one's validation and savings: a process that hangs is given up as
// late as that, one that ends at once.
constexpr std::chrono::hours kPatience{24};
constexpr std::chrono::minutes kMeetingTime{5};

c10::intrusive_ptr<c10d::Store> meeting_place(const ProcessPlace& place) {
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = place.host == MeetingHost::kFirstProcess && place.rank == 0;
  options.waitWorkers = false;
  options.timeout = kMeetingTime;
  return c10::make_intrusive<c10d::PrefixStore>(
      "supn/" + place.attempt, c10::make_intrusive<c10d::TCPStore>(place.address, options));
}

}  // namespace

Backends make_backends(const ProcessPlace& place) {
  const auto store = meeting_place(place);
  const int rank = static_cast<int>(place.rank);
  const int size = static_cast<int>(place.size);
  Backends backends;
  backends.cpu = c10::make_intrusive<c10d::ProcessGroupGloo>(
      c10::make_intrusive<c10d::PrefixStore>("cpu", store),
      rank,
      size,
      c10d::ProcessGroupGloo::Options::create_default(kPatience));
#ifdef SUPN_NCCL
  backends.gpu = c10::make_intrusive<c10d::ProcessGroupNCCL>(
      c10::make_intrusive<c10d::PrefixStore>("gpu", store), rank, size);
#endif
  return backends;
}

}  // namespace supn
