// The objects of PyTorch in a pickle: storages and tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "pickle.hpp"

namespace supn {

// The globals that a file of tensors needs.
const std::vector<std::string>& torch_globals();

inline constexpr std::string_view kTorchSize = "torch.Size";

// A storage as a persistent id names it.
struct TorchStorage {
  std::string_view key;
  at::ScalarType dtype = at::kByte;
  std::int64_t count = 0;  // elements
  // Old files name the part [first, first + count) of a larger storage.
  std::int64_t first = 0;

  std::int64_t bytes() const;  // of count elements
};

// Throws DamagedFile where the persistent id is not of a storage.
TorchStorage torch_storage(const Pickle& pickle, const PickleValue& persistent);

// Turns calls of _rebuild_… into tensors.
class TensorBuilder {
 public:
  // The bytes of a storage by its key; `expansion`: how many bytes views may take beyond their
  // storages.
  using Storages = std::map<std::string, at::Tensor, std::less<>>;
  TensorBuilder(const Pickle& pickle, const Storages& storages, std::int64_t expansion)
      : pickle_(pickle), storages_(storages), expansion_left_(expansion) {}

  static bool makes_tensor(const PickleValue& call);
  // Throws DamagedFile for wrong arguments and for a tensor outside its storage.
  at::Tensor build(const PickleValue& call);

 private:
  void check_bools(const std::string& key, const at::Tensor& bytes);

  const Pickle& pickle_;
  const Storages& storages_;
  std::int64_t expansion_left_;
  std::set<std::string> bool_storages_;  // looked through
};

// "torch.float32" and its like.
bool is_dtype(std::string_view global);

}  // namespace supn
