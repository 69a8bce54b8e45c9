// Configuration files: YAML, then the options. What is read is written so that it reads back the
// same.
#include "fuzz_target.hpp"
#include "supn/config/config.hpp"
#include "supn/config/config_node.hpp"
#include "supn/config/option_tree.hpp"

namespace {

supn::Config read(std::string_view text) {
  supn::Config config;
  supn::read_options(config, supn::parse_yaml(text, {"a.yaml", "/folder"}));
  return config;
}

}  // namespace

std::vector<std::string> supn::fuzz::seeds() {
  return {to_yaml(Config()),
          "data:\n  root: road\n  depth_folders: [a, 'b', \"c\\x41\"]\n  height: 32\n"
          "# comment\nnetwork: {backbone: compact}\ntraining:\n  optimizer:\n"
          "    learning_rate: 1e-3\n",
          "a: &b [1]\nc: *b\n? !!set {x}\n: |\n  text\n--- >\n folded\n..."};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  supn::fuzz::read_or_refuse([&] {
    const std::string written = to_yaml(read(supn::fuzz::text_of(data, size)));
    supn::fuzz::require(to_yaml(read(written)) == written, "a written configuration reads back");
  });
  return 0;
}
