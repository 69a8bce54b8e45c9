#include "import/inspect.hpp"

#include <ATen/core/Tensor.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "supn/serialization/json.hpp"
#include "supn/serialization/pth.hpp"
#include "supn/serialization/safetensors.hpp"
#include "supn/utf8.hpp"

namespace supn {
namespace {

PthFile read_weights(const std::filesystem::path& path) {
  if (path.extension() != ".safetensors") return read_pth(path);
  SafetensorsFile source = read_safetensors(path);
  PthFile file;
  file.tensors = std::move(source.tensors);
  for (auto& [key, text] : source.metadata) file.values.emplace(key, std::move(text));
  return file;
}

std::string shape_text(const at::Tensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.sizes(), ","));
}

std::string dtype_text(const at::Tensor& tensor) {
  std::string name(c10::toString(tensor.scalar_type()));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return name;
}

// Numbers that JSON does not have are given as text.
Json json_of(const PthValue& value) {
  const double* real = std::get_if<double>(&value);
  if (real != nullptr && !std::isfinite(*real)) return fmt::format("{}", *real);
  return std::visit([](const auto& plain) { return Json(plain); }, value);
}

std::string text_of(const std::filesystem::path& path) {
  const PthFile file = read_weights(path);
  std::size_t widest = 0;
  std::int64_t count = 0;
  for (const auto& [name, tensor] : file.tensors) {
    widest = std::max(widest, display_width(name));
    count += tensor.numel();
  }
  std::string text =
      fmt::format("{}: {} tensors, {} numbers\n", path.string(), file.tensors.size(), count);
  for (const auto& [name, tensor] : file.tensors) {
    text +=
        fmt::format("  {:<{}}  {:<8}  {}\n", name, widest, dtype_text(tensor), shape_text(tensor));
  }
  for (const auto& [name, value] : file.values) {
    text += fmt::format("  {} = {}\n", name, json_text(json_of(value)));
  }
  for (const std::string& name : file.omitted) text += fmt::format("  {}: not read\n", name);
  return text;
}

Json json_of_file(const std::filesystem::path& path) {
  const PthFile file = read_weights(path);
  Json tensors = Json::array();
  for (const auto& [name, tensor] : file.tensors) {
    tensors.push_back(
        {{"name", name}, {"dtype", dtype_text(tensor)}, {"shape", tensor.sizes().vec()}});
  }
  Json values = Json::object();
  for (const auto& [name, value] : file.values) values[name] = json_of(value);
  return {{"file", path.string()},
          {"tensors", std::move(tensors)},
          {"values", std::move(values)},
          {"omitted", file.omitted}};
}

}  // namespace

std::string inspection_text(const std::vector<std::filesystem::path>& files) {
  std::string text;
  for (const auto& file : files) text += text_of(file);
  return text;
}

std::string inspection_json(const std::vector<std::filesystem::path>& files) {
  Json array = Json::array();
  for (const auto& file : files) array.push_back(json_of_file(file));
  return json_text(array) + "\n";
}

}  // namespace supn
