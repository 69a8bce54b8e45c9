// JSON text: what is read is written so that it reads back the same.
#include <nlohmann/json.hpp>

#include "fuzz_target.hpp"
#include "supn/serialization/json.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  return {R"({"a": [1, -2.5e-3, true, false, null], "b": {"c": "x\n\u00e9\ud83d\ude00"}, "": []})",
          R"([[[[{}]]], 9223372036854775807, 1e308, "\"\\\/\b\f\n\r\t"])",
          " 0 "};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  supn::fuzz::read_or_refuse([&] {
    const supn::Json json = supn::parse_json(supn::fuzz::text_of(data, size));
    supn::fuzz::require(supn::parse_json(supn::json_text(json)) == json,
                        "written JSON reads back the same");
  });
  return 0;
}
