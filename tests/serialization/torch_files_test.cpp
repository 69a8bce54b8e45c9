// Reads .pth files and writes what they hold for Python to compare: see torch_files_test.py.
//
// Each two lines of the standard input name a file and where to write its content as safetensors;
// the answer is a line: "read", or the reader's message where it refuses the file.
#include <iostream>
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
    supn::Json::Object values;
    for (const auto& [name, value] : file.values) {
      values.emplace_back(name, std::visit([](const auto& v) { return supn::Json(v); }, value));
    }
    supn::Json::Array omitted;
    for (const std::string& name : file.omitted) omitted.emplace_back(name);
    supn::write_safetensors(
        destination,
        {file.tensors,
         {{"values", supn::Json(values).dump()}, {"omitted", supn::Json(omitted).dump()}}});
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
