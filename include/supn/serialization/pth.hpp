// read_pth() reads what torch.save writes (.pth, .pt): tensors and plain values in dicts, lists and
// tuples, both the zip files of PyTorch 1.6 and newer and the older ones ("legacy"). No Python is
// needed and nothing is executed: only the globals of plain tensors are known
// (collections.OrderedDict, torch._utils._rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3,
// _rebuild_parameter, torch.*Storage, torch.Size, dtypes); any other one, such as a whole pickled
// model, is refused by its name.
//
// Files are untrusted: lengths, offsets, counts and depth are bounded and checked before use;
// memory stays within a small multiple of the file's size.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace supn {

using PthValue = std::variant<bool, std::int64_t, double, std::string>;

struct PthFile {
  // Names are keys and positions joined by dots, "state_dict.conv1.weight", "sizes.0"; "tensor" for
  // a file that is a tensor. Tensors are on the CPU wherever they were saved, contiguous, of the
  // dtypes saved. Those that shared a storage share it here.
  std::map<std::string, at::Tensor> tensors;
  std::map<std::string, PthValue> values;  // what lies beside them; dtypes as "torch.float32"
  // Names of what is left out: None, bytes, integers beyond 64 bits, keys that are no text or
  // integer.
  std::vector<std::string> omitted;
};

// Attributes (a state dict's _metadata), devices and requires_grad are ignored. Throws IoError
// naming the file, what is wrong with it, and the remedy: a file that is damaged or truncated, of
// another kind (TorchScript, a compressed zip), big-endian, more than 16 GiB, nested deeper than 64
// levels; a tensor that is sparse or quantized or lies outside its storage; views that together
// expand to more than 8 times the file.
PthFile read_pth(const std::filesystem::path& path);

}  // namespace supn
