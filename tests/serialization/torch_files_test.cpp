// Reads .pth files and writes what they hold for Python to compare: see torch_files_test.py.
//
// Each two lines of the standard input name a file and where to write its content as safetensors;
// the answer is a line: "read", or the reader's message where it refuses the file.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "supn/errors.hpp"
#include "supn/serialization/json.hpp"
#include "supn/serialization/pth.hpp"
#include "supn/serialization/safetensors.hpp"

namespace {

std::string convert(const std::string& source, const std::string& destination) {
  try {
    const supn::PthFile file = supn::read_pth(source);
    supn::Json values = supn::Json::object();
    for (const auto& [name, value] : file.values) {
      values[name] = std::visit([](const auto& v) { return supn::Json(v); }, value);
    }
    supn::write_safetensors(destination,
                            {file.tensors,
                             {{"values", supn::exact_json_text(values)},
                              {"omitted", supn::exact_json_text(file.omitted)}}});
  } catch (const supn::IoError& error) {
    return error.what();
  }
  return "read";
}

}  // namespace

int main() {
  std::string source;
  std::string destination;
  while (std::getline(std::cin, source) && std::getline(std::cin, destination)) {
    std::cout << convert(source, destination) << std::endl;
  }
  return 0;
}
