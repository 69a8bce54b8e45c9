#include "supn/training/process_group.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <c10/util/Logging.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdlib>
#include <exception>
#include <string_view>
#include <utility>

#include "supn/errors.hpp"
#include "training/processes/backends.hpp"

namespace supn {
namespace {

constexpr std::size_t kBucketBytes = 25 << 20;

// Tensors that travel as one.
struct Bucket {
  std::vector<at::Tensor> tensors;
  std::vector<at::Tensor> packed;  // one tensor, as c10d takes it
  c10::intrusive_ptr<c10d::Work> work;
};

std::vector<Bucket> buckets_of(const std::vector<at::Tensor>& tensors) {
  std::vector<Bucket> buckets;
  std::size_t bytes = kBucketBytes;
  for (const at::Tensor& tensor : tensors) {
    if (bytes + tensor.nbytes() > kBucketBytes) {
      buckets.emplace_back();
      bytes = 0;
    }
    buckets.back().tensors.push_back(tensor);
    bytes += tensor.nbytes();
  }
  return buckets;
}

void pack(Bucket& bucket) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& tensor : bucket.tensors) flat.push_back(tensor.reshape({-1}));
  bucket.packed = {at::cat(flat)};
}

void unpack(const Bucket& bucket) {
  std::int64_t place = 0;
  for (const at::Tensor& tensor : bucket.tensors) {
    tensor.copy_(bucket.packed.front().narrow(0, place, tensor.numel()).view(tensor.sizes()));
    place += tensor.numel();
  }
}

}  // namespace

class ProcessGroup::Connection {
 public:
  explicit Connection(const ProcessPlace& place) : place_(place), backends_(met(place)) {}

  // Runs `call`. Throws ConfigError if the connection breaks.
  template <class Call>
  void carry_out(const Call& call) const {
    try {
      call();
    } catch (const std::exception& error) {
      const std::string_view text = error.what();
      throw ConfigError("training: process " + std::to_string(place_.rank) + " of " +
                        std::to_string(place_.size) + " has lost another one, and stops as well (" +
                        std::string(text.substr(0, text.find('\n'))) +
                        "); see what the others say; where last/ has been saved, start all of "
                        "them again with --resume");
    }
  }

  c10d::Backend& backend_for(const at::Tensor& tensor) const {
    return tensor.is_cuda() && backends_.gpu ? *backends_.gpu : *backends_.cpu;
  }

 private:
  static Backends met(const ProcessPlace& place) {
    // c10d tells the terminal of every try, with the stack of the exception; what matters is said
    // below.
    ::setenv("TORCH_CPP_LOG_LEVEL", "FATAL", /*overwrite=*/0);
    c10::initLogging();
    try {
      return make_backends(place);
    } catch (const std::exception& error) {
      const std::string_view text = error.what();
      throw ConfigError("training: process " + std::to_string(place.rank) + " of " +
                        std::to_string(place.size) + " cannot meet the others at " + place.address +
                        ":" + std::to_string(place.port) + " (" +
                        std::string(text.substr(0, text.find('\n'))) +
                        "); check MASTER_ADDR and MASTER_PORT, and that all of them started");
    }
  }

  ProcessPlace place_;
  Backends backends_;
};

ProcessGroup::ProcessGroup() = default;

ProcessGroup::ProcessGroup(const ProcessPlace& place) : rank_(place.rank), size_(place.size) {
  if (!is_lone()) connection_ = std::make_unique<Connection>(place);
}

ProcessGroup::~ProcessGroup() = default;

void ProcessGroup::sum(at::Tensor& values) const {
  if (is_lone()) return;
  connection_->carry_out([&] {
    std::vector<at::Tensor> packed{values.contiguous()};
    connection_->backend_for(values).allreduce(packed)->wait();
    values = packed.front();
  });
}

void ProcessGroup::average(const std::vector<at::Tensor>& tensors) const {
  if (is_lone() || tensors.empty()) return;
  connection_->carry_out([&] {
    std::vector<Bucket> buckets = buckets_of(tensors);
    for (Bucket& bucket : buckets) {
      pack(bucket);
      bucket.work = connection_->backend_for(bucket.packed.front()).allreduce(bucket.packed);
    }
    for (Bucket& bucket : buckets) {
      bucket.work->wait();
      bucket.packed.front().div_(static_cast<double>(size_));
      unpack(bucket);
    }
  });
}

void ProcessGroup::broadcast(const std::vector<at::Tensor>& tensors) const {
  if (is_lone()) return;
  const at::NoGradGuard no_grad;
  connection_->carry_out([&] {
    for (const at::Tensor& tensor : tensors) {
      std::vector<at::Tensor> packed{tensor.contiguous()};
      connection_->backend_for(tensor).broadcast(packed)->wait();
      if (!is_first()) tensor.copy_(packed.front());
    }
  });
}

std::int64_t ProcessGroup::largest(std::int64_t value) const {
  if (is_lone()) return value;
  std::vector<at::Tensor> packed{at::full({1}, value, at::kLong)};
  connection_->carry_out([&] {
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    connection_->backend_for(packed.front()).allreduce(packed, options)->wait();
  });
  return packed.front().item<std::int64_t>();
}

}  // namespace supn
