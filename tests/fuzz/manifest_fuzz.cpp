// ensemble.json, the manifest of a folder of samples.
#include "ensemble/manifest.hpp"
#include "fuzz_target.hpp"

namespace {

constexpr const char* kManifest =
    R"({"members": [{"file": "a.pt", "bytes": 12, "fnv1a": "00ff"}], "quantity": "disparity",
 "output_keys": [], "min_depth": 0.1, "horizontal_flip": false, "scale_sizes": [[32, 64]]})";

}  // namespace

std::vector<std::string> supn::fuzz::seeds() {
  return {kManifest, R"({"members": [], "quantity": "logit"})", "[]"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFolder folder;
  const std::string_view text = supn::fuzz::text_of(data, size);
  folder.write("ensemble.json", text);
  const auto outcome =
      supn::fuzz::read_or_refuse([&] { supn::claim_samples_folder(folder.path(), kManifest); });
  supn::fuzz::require((outcome == supn::fuzz::Outcome::kRead) == (text == kManifest),
                      "only the same ensemble may write there");
  return 0;
}
