// network.json of a checkpoint.
#include "fuzz_target.hpp"
#include "network/network_description.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  return {to_json({NetworkConfig{.backbone = Backbone::kCompact}, {32, 96}}),
          to_json({NetworkConfig{}, {192, 640}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  supn::fuzz::read_or_refuse([&] {
    const supn::NetworkDescription read =
        supn::network_description_from_json(std::string(supn::fuzz::text_of(data, size)));
    supn::fuzz::require(read.size.height <= 16384 && read.size.width <= 16384, "sizes are bounded");
  });
  return 0;
}
