// JSON text: what is read is written so that it reads back the same.
#include "fuzz_target.hpp"
#include "supn/serialization/json.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  return {R"({"a": [1, -2.5e-3, true, false, null], "b": {"c": "x\n\u00e9\ud83d\ude00"}, "": []})",
          R"([[[[{}]]], 9223372036854775807, 1e308, "\"\\\/\b\f\n\r\t"])",
          " 0 "};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using supn::Json;
  supn::fuzz::read_or_refuse([&] {
    const Json json = Json::parse(supn::fuzz::text_of(data, size));
    supn::fuzz::require(Json::parse(json.dump()) == json, "written JSON reads back the same");
  });
  return 0;
}
