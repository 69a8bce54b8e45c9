// The processes that train one network together, as torchrun starts them: the same weights in all,
// each with its part of every batch, gradients and batch statistics averaged over all. The first
// one (rank 0) alone validates and writes.
//
//   torchrun --nproc-per-node 2 --no-python supn_train --config a.yaml
//
// Behind it is c10d: Gloo for tensors on the CPU; for those on GPUs NCCL where the build has it,
// else Gloo by way of the CPU. All collective functions are to be called by every process in the
// same order; they return when the process's own part is done. A process that ends or dies breaks
// its connections, which ends the others' calls, the one that waits or the next, with a ConfigError
// that says so.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace supn {

// Says who keeps the list by which the processes find each other.
enum class MeetingHost { kFirstProcess, kAgent };

struct ProcessPlace {
  std::int64_t rank = 0;        // among all
  std::int64_t size = 1;        // of all
  std::int64_t local_rank = 0;  // among those of this machine: the index of the process's GPU
  std::string address;
  std::uint16_t port = 0;
  MeetingHost host = MeetingHost::kFirstProcess;
  std::string attempt = "0";  // torchrun may start all of them anew
};

// Reads torchrun's environment: RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT,
// TORCHELASTIC_USE_AGENT_STORE, TORCHELASTIC_RESTART_COUNT. Without WORLD_SIZE, or with 1, the
// process is a lone one. Throws ConfigError naming the variable that is missing or no number.
ProcessPlace process_place();

class ProcessGroup {
 public:
  // A lone process: every function below does nothing.
  ProcessGroup();
  // Waits until all have come, at most five minutes. Throws ConfigError if they have not.
  explicit ProcessGroup(const ProcessPlace& place);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  std::int64_t rank() const { return rank_; }
  std::int64_t size() const { return size_; }
  bool is_lone() const { return size_ == 1; }
  bool is_first() const { return rank_ == 0; }

  // Sums in place. All tensors of one call are of one dtype and device, and of the same shapes in
  // every process.
  void sum(at::Tensor& values) const;
  // Averages in buckets of 25 MB, so that one travels while the next is packed.
  void average(const std::vector<at::Tensor>& tensors) const;
  // Replaces the tensors by those of the first process.
  void broadcast(const std::vector<at::Tensor>& tensors) const;
  std::int64_t largest(std::int64_t value) const;
  void barrier() const { largest(0); }

 private:
  class Connection;

  std::int64_t rank_ = 0;
  std::int64_t size_ = 1;
  std::unique_ptr<Connection> connection_;
};

}  // namespace supn
