// Files of torch.save, both formats. An input that is a pickle is also read as the object of a zip
// file: there most mutants of a whole one end at the offsets of its directory.
#include <c10/core/Storage.h>

#include <set>

#include "fuzz_target.hpp"
#include "serialization/pth_fixture.hpp"
#include "supn/serialization/pth.hpp"

namespace {

using namespace std::string_literals;
using namespace supn::test;
using pickled::Storage;

// Views of a storage may expand to so many times the file, beside the storages themselves.
constexpr std::size_t kExpansion = 8;

const StorageContents& storages() {
  static const StorageContents contents{{"0", bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6})},
                                        {"1", std::string("\0\1\1\0", 4)}};
  return contents;
}

std::string several_tensors() {
  const Storage floats{.count = 6};
  return pickled::dict(
      {{"state_dict",
        pickled::dict(
            {{"weight", pickled::tensor(floats, {0, {2, 3}, {3, 1}})},
             {"transposed", pickled::tensor(floats, {1, {2, 2}, {1, 2}})},
             {"expanded", pickled::tensor(floats, {5, {7}, {0}})},
             {"empty", pickled::tensor(floats, {6, {0, 4}, {4, 1}})},
             {"mask", pickled::tensor({"BoolStorage", "1", "cuda:0", 4}, {0, {4}, {1}})}})},
       {"epoch", pickled::integer(20)},
       {"sizes",
        pickled::list({"K\1", "M\0\2"s, "N", "\x88", "G\x40\x09\x21\xfb\x54\x44\x2d\x18"})},
       {"name", pickled::text("a")}});
}

// What newer and older versions of PyTorch and of pickle write otherwise.
std::string other_forms() {
  const std::string storage = pickled::storage({.count = 6});
  const std::string untyped = pickled::tuple({pickled::text("storage"),
                                              pickled::global("torch.storage", "UntypedStorage"),
                                              pickled::text("0"),
                                              pickled::text("cpu"),
                                              "K\x18"}) +
                              "Q";
  const std::string v3 = pickled::call(pickled::global("torch._utils", "_rebuild_tensor_v3"),
                                       {untyped,
                                        "K\0"s,
                                        "K\6\x85",
                                        "K\1\x85",
                                        "\x89",
                                        pickled::ordered_dict(),
                                        pickled::global("torch", "bfloat16")});
  const std::string parameter =
      pickled::call(pickled::global("torch._utils", "_rebuild_parameter"),
                    {pickled::call(pickled::global("torch._utils", "_rebuild_tensor"),
                                   {storage, "K\0"s, "K\2K\3\x86", "K\3K\1\x86"}),
                     "\x88",
                     pickled::ordered_dict()});
  return "}q\0(\x8c\1a\x94"s + v3 + "K\7" + parameter + "h\0"s + pickled::tuple({"]q\1K\1a"}) +
         pickled::text("size") +
         pickled::call(pickled::global("torch", "Size"), {"K\2K\3K\4\x87"}) + "u";
}

std::string part_of_storage() {
  const std::string part = pickled::tuple({pickled::text("view"), "K\2", "K\3"});
  const std::string storage = pickled::tuple({pickled::text("storage"),
                                              pickled::global("torch.cuda", "HalfStorage"),
                                              pickled::text("0"),
                                              pickled::text("cpu"),
                                              "K\6",
                                              part}) +
                              "Q";
  return pickled::call(pickled::global("torch._utils", "_rebuild_tensor_v2"),
                       {storage, "K\0"s, "K\3\x85", "K\1\x85", "\x89", pickled::ordered_dict()});
}

// AddressSanitizer watches this access, not those of LibTorch.
void touch_ends(const at::Tensor& tensor) {
  if (tensor.nbytes() == 0) return;
  const auto* first = static_cast<const volatile unsigned char*>(tensor.const_data_ptr());
  static_cast<void>(first[0]);
  static_cast<void>(first[tensor.nbytes() - 1]);
}

void read(const supn::fuzz::MemoryFile& file, std::string_view bytes) {
  file.write(bytes);
  supn::fuzz::read_or_refuse([&] {
    std::set<const void*> seen;
    std::size_t held = 0;
    for (const auto& [name, tensor] : supn::read_pth(file.path()).tensors) {
      supn::fuzz::require(tensor.is_contiguous() && tensor.device().is_cpu(),
                          "tensors are contiguous and on the CPU");
      touch_ends(tensor);
      if (seen.insert(tensor.storage().data()).second) held += tensor.storage().nbytes();
    }
    supn::fuzz::require(held <= (kExpansion + 1) * bytes.size(), "memory of a few times the file");
  });
}

}  // namespace

std::vector<std::string> supn::fuzz::seeds() {
  std::vector<std::string> files;
  for (const std::string& object : {several_tensors(), other_forms(), part_of_storage()}) {
    files.push_back(pickled::whole(object));
    files.push_back(zip_file(object, storages()));
  }
  // The counts of a legacy file's storages are of elements, here of one type.
  files.push_back(
      legacy_file(pickled::dict({{"a", pickled::tensor({.count = 6}, {0, {6}, {1}})},
                                 {"b", pickled::tensor({.count = 6}, {1, {2, 2}, {1, 2}})},
                                 {"epoch", pickled::integer(20)}}),
                  {storages().front()}));
  files.push_back(legacy_file(part_of_storage(), {storages().front()}, 2));
  return files;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFile file;
  const std::string bytes(supn::fuzz::text_of(data, size));
  read(file, bytes);
  if (!bytes.starts_with("\x80")) return 0;
  std::vector<ZipPart> parts{{"archive/data.pkl", bytes}};
  for (const auto& [key, content] : storages()) parts.push_back({"archive/data/" + key, content});
  read(file, zip_of(parts));
  return 0;
}
