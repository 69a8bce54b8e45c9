#include "import/inspect.hpp"

#include <ATen/core/Tensor.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
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
  if (real != nullptr && !std::isfinite(*real)) return {fmt::format("{}", *real)};
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
    text += fmt::format("  {} = {}\n", name, json_of(value).dump());
  }
  for (const std::string& name : file.omitted) text += fmt::format("  {}: not read\n", name);
  return text;
}

Json json_of_file(const std::filesystem::path& path) {
  const PthFile file = read_weights(path);
  Json::Array tensors;
  for (const auto& [name, tensor] : file.tensors) {
    Json::Array shape;
    for (const std::int64_t size : tensor.sizes()) shape.emplace_back(size);
    tensors.emplace_back(Json::Object{{"name", Json(name)},
                                      {"dtype", Json(dtype_text(tensor))},
                                      {"shape", Json(std::move(shape))}});
  }
  Json::Object values;
  for (const auto& [name, value] : file.values) values.emplace_back(name, json_of(value));
  Json::Array omitted;
  for (const std::string& name : file.omitted) omitted.emplace_back(name);
  return Json::Object{{"file", Json(path.string())},
                      {"tensors", Json(std::move(tensors))},
                      {"values", Json(std::move(values))},
                      {"omitted", Json(std::move(omitted))}};
}

}  // namespace

std::string inspection_text(const std::vector<std::filesystem::path>& files) {
  std::string text;
  for (const auto& file : files) text += text_of(file);
  return text;
}

std::string inspection_json(const std::vector<std::filesystem::path>& files) {
  Json::Array array;
  for (const auto& file : files) array.push_back(json_of_file(file));
  return Json(std::move(array)).dump() + "\n";
}

}  // namespace supn
