#include "torch_objects.hpp"

#include <ATen/ops/as_strided.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "damaged_file.hpp"
#include "supn/excerpt.hpp"

namespace supn {
namespace {

constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";
constexpr std::string_view kTensor1 = "torch._utils._rebuild_tensor";
constexpr std::string_view kTensor2 = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kTensor3 = "torch._utils._rebuild_tensor_v3";
constexpr std::size_t kMostTensorDimensions = 32;
constexpr std::int64_t kMostElements = std::int64_t{1} << 48U;

using NamedType = std::pair<std::string_view, at::ScalarType>;
constexpr std::array<NamedType, 12> kStorageTypes{{{"DoubleStorage", at::kDouble},
                                                   {"FloatStorage", at::kFloat},
                                                   {"HalfStorage", at::kHalf},
                                                   {"BFloat16Storage", at::kBFloat16},
                                                   {"LongStorage", at::kLong},
                                                   {"IntStorage", at::kInt},
                                                   {"ShortStorage", at::kShort},
                                                   {"CharStorage", at::kChar},
                                                   {"ByteStorage", at::kByte},
                                                   {"BoolStorage", at::kBool},
                                                   {"ComplexFloatStorage", at::kComplexFloat},
                                                   {"ComplexDoubleStorage", at::kComplexDouble}}};
constexpr std::string_view kUntyped = "torch.storage.UntypedStorage";
constexpr std::array<NamedType, 17> kTensorTypes{{{"torch.float64", at::kDouble},
                                                  {"torch.float32", at::kFloat},
                                                  {"torch.float16", at::kHalf},
                                                  {"torch.bfloat16", at::kBFloat16},
                                                  {"torch.int64", at::kLong},
                                                  {"torch.int32", at::kInt},
                                                  {"torch.int16", at::kShort},
                                                  {"torch.int8", at::kChar},
                                                  {"torch.uint8", at::kByte},
                                                  {"torch.bool", at::kBool},
                                                  {"torch.complex64", at::kComplexFloat},
                                                  {"torch.complex128", at::kComplexDouble},
                                                  {"torch.uint16", at::kUInt16},
                                                  {"torch.uint32", at::kUInt32},
                                                  {"torch.uint64", at::kUInt64},
                                                  {"torch.float8_e4m3fn", at::kFloat8_e4m3fn},
                                                  {"torch.float8_e5m2", at::kFloat8_e5m2}}};

[[noreturn]] void fail_tensor(const std::string& what) {
  throw DamagedFile("has a tensor " + what);
}

std::vector<std::string> make_torch_globals() {
  std::vector<std::string> names{std::string(kParameter),
                                 std::string(kTensor1),
                                 std::string(kTensor2),
                                 std::string(kTensor3),
                                 std::string(kUntyped),
                                 std::string(kTorchSize)};
  for (const auto& [name, type] : kTensorTypes) names.emplace_back(name);
  for (const auto& [name, type] : kStorageTypes) {
    names.push_back("torch." + std::string(name));
    names.push_back("torch.cuda." + std::string(name));
  }
  return names;
}

at::ScalarType storage_type(std::string_view global) {
  const std::string_view name = global.substr(global.rfind('.') + 1);
  for (const auto& [known, type] : kStorageTypes) {
    if (name == known) return type;
  }
  if (global == kUntyped) return at::kByte;
  fail_tensor("whose storage is a " + excerpt(global));
}

std::int64_t integer_of(const PickleValue& value) {
  if (value.kind != PickleKind::kInteger || value.integer < 0 || value.integer > kMostElements) {
    fail_tensor("with a size, stride or offset that is negative, impossibly large or no integer");
  }
  return value.integer;
}

// Reads a tuple of sizes or strides, or a torch.Size of one.
std::vector<std::int64_t> integers_of(const Pickle& pickle, const PickleValue& value) {
  const PickleValue* tuple = &value;
  if (value.kind == PickleKind::kCall && value.text == kTorchSize) {
    const PickleValue& arguments = pickle[value.items.front()];
    if (arguments.items.size() == 1) tuple = &pickle[arguments.items.front()];
  }
  if (tuple->kind != PickleKind::kTuple || tuple->items.size() > kMostTensorDimensions) {
    fail_tensor("whose shape is no tuple of at most 32 sizes");
  }
  std::vector<std::int64_t> numbers;
  for (const PickleId id : tuple->items) numbers.push_back(integer_of(pickle[id]));
  return numbers;
}

struct Layout {
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

// Returns the product of the sizes, or nothing where it overflows; empty dimensions count as one,
// since PyTorch's strides do so too.
std::optional<std::int64_t> extent_of(const std::vector<std::int64_t>& sizes) {
  std::int64_t extent = 1;
  for (const std::int64_t size : sizes) {
    const std::int64_t factor = std::max<std::int64_t>(size, 1);
    if (extent > kMostElements / factor) return std::nullopt;
    extent *= factor;
  }
  return extent;
}

void check_inside(const Layout& layout, std::int64_t count) {
  if (layout.sizes.size() != layout.strides.size()) {
    fail_tensor("with another number of strides than of sizes");
  }
  if (!extent_of(layout.sizes)) fail_tensor("of an impossibly large shape");
  const bool empty = std::find(layout.sizes.begin(), layout.sizes.end(), 0) != layout.sizes.end();
  bool inside = layout.offset <= count;
  std::int64_t last = layout.offset;
  for (std::size_t i = 0; i < layout.sizes.size() && inside && !empty; ++i) {
    const std::int64_t steps = layout.sizes[i] - 1;
    inside = steps == 0 || layout.strides[i] <= (count - last) / steps;
    if (inside) last += steps * layout.strides[i];
  }
  if (!inside || (!empty && last >= count)) {
    fail_tensor("that lies outside its storage of " + std::to_string(count) + " elements");
  }
}

at::Tensor typed_storage(const at::Tensor& bytes, const TorchStorage& storage) {
  const auto width = static_cast<std::int64_t>(c10::elementSize(storage.dtype));
  if ((storage.first + storage.count) * width > bytes.numel()) {
    fail_tensor("whose storage " + excerpt(storage.key) + " has " + std::to_string(bytes.numel()) +
                " bytes instead of " + std::to_string((storage.first + storage.count) * width));
  }
  return bytes.narrow(0, storage.first * width, storage.count * width).view(storage.dtype);
}

const PickleValue& argument(const Pickle& pickle, const PickleValue& call, std::size_t index) {
  const PickleValue& arguments = pickle[call.items.front()];
  if (index >= arguments.items.size()) fail_tensor("with too few arguments");
  return pickle[arguments.items[index]];
}

at::ScalarType tensor_type(const PickleValue& global) {
  for (const auto& [name, type] : kTensorTypes) {
    if (global.kind == PickleKind::kGlobal && global.text == name) return type;
  }
  fail_tensor("of an unknown dtype");
}

}  // namespace

const std::vector<std::string>& torch_globals() {
  static const std::vector<std::string> globals = make_torch_globals();
  return globals;
}

bool is_dtype(std::string_view global) {
  return std::any_of(kTensorTypes.begin(), kTensorTypes.end(), [&](const NamedType& type) {
    return type.first == global;
  });
}

std::int64_t TorchStorage::bytes() const {
  return count * static_cast<std::int64_t>(c10::elementSize(dtype));
}

// ('storage', type, key, location, count) and, in old files, None or (key, first, count) of a part.
TorchStorage torch_storage(const Pickle& pickle, const PickleValue& persistent) {
  if (persistent.kind != PickleKind::kPersistent) fail_tensor("without a storage");
  const std::vector<PickleId>& items = pickle[persistent.items.front()].items;
  if (items.size() < 5 || pickle[items[0]].text != "storage" ||
      pickle[items[1]].kind != PickleKind::kGlobal || pickle[items[2]].kind != PickleKind::kText) {
    fail_tensor("whose storage is named in an unknown way");
  }
  TorchStorage storage;
  storage.dtype = storage_type(pickle[items[1]].text);
  storage.key = pickle[items[2]].text;
  storage.count = integer_of(pickle[items[4]]);
  if (items.size() > 5 && pickle[items[5]].kind == PickleKind::kTuple) {
    const std::vector<PickleId>& part = pickle[items[5]].items;
    if (part.size() != 3) fail_tensor("whose storage is named in an unknown way");
    storage.first = integer_of(pickle[part[1]]);
    storage.count = integer_of(pickle[part[2]]);
  }
  return storage;
}

bool TensorBuilder::makes_tensor(const PickleValue& call) {
  return call.kind == PickleKind::kCall && (call.text == kParameter || call.text == kTensor1 ||
                                            call.text == kTensor2 || call.text == kTensor3);
}

// Any other byte as a bool is undefined behaviour. Each storage is looked through once, however
// many tensors share it.
void TensorBuilder::check_bools(const std::string& key, const at::Tensor& bytes) {
  if (!bool_storages_.insert(key).second) return;
  if (!bytes.le(1).all().item<bool>()) fail_tensor("of bools, one of which is neither 0 nor 1");
}

at::Tensor TensorBuilder::build(const PickleValue& call) {
  if (call.text == kParameter) {
    const PickleValue& inner = argument(pickle_, call, 0);
    if (!makes_tensor(inner) || inner.text == kParameter) fail_tensor("that is no tensor");
    return build(inner);
  }
  TorchStorage storage = torch_storage(pickle_, argument(pickle_, call, 0));
  if (call.text == kTensor3) {
    const at::ScalarType type = tensor_type(argument(pickle_, call, 6));
    storage.count = storage.bytes() / static_cast<std::int64_t>(c10::elementSize(type));
    storage.dtype = type;
  }
  const Layout layout{integer_of(argument(pickle_, call, 1)),
                      integers_of(pickle_, argument(pickle_, call, 2)),
                      integers_of(pickle_, argument(pickle_, call, 3))};
  check_inside(layout, storage.count);
  const auto bytes = storages_.find(storage.key);
  if (bytes == storages_.end()) {
    fail_tensor("whose storage " + excerpt(storage.key) + " is missing");
  }
  if (storage.dtype == at::kBool) check_bools(bytes->first, bytes->second);
  const at::Tensor all = typed_storage(bytes->second, storage);
  const at::Tensor view =
      at::as_strided(all, layout.sizes, layout.strides, all.storage_offset() + layout.offset);
  if (view.is_contiguous()) return view;
  const auto size = static_cast<std::int64_t>(view.nbytes());
  if (size > expansion_left_) fail_tensor("that expands to far more than the file holds");
  expansion_left_ -= size;
  return view.contiguous();
}

}  // namespace supn
