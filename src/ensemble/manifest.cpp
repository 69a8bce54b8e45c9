#include "manifest.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFile = "ensemble.json";

// FNV-1a, 64 bits: tells files apart, no more.
std::string content_hash(const std::filesystem::path& file) {
  constexpr std::uint64_t kBasis = 0xcbf29ce484222325U;
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 1U << 16U> buffer{};
  std::uint64_t hash = kBasis;
  while (stream) {
    stream.read(buffer.data(), buffer.size());
    for (std::streamsize i = 0; i < stream.gcount(); ++i) {
      hash = (hash ^ static_cast<unsigned char>(buffer[static_cast<std::size_t>(i)])) * kPrime;
    }
  }
  if (stream.bad()) throw IoError(file, "cannot be read");
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kHex[(hash >> shift) & 0xfU];
  return text;
}

std::string differing_keys(const Json& a, const Json& b) {
  std::string text;
  for (const auto& [key, value] : a.items()) {
    if (b.contains(key) && b[key] == value) continue;
    text += (text.empty() ? "" : ", ") + key;
  }
  return text;
}

}  // namespace

std::string manifest_text(const EnsembleConfig& config,
                          const std::vector<std::vector<std::int64_t>>& scale_sizes) {
  Json members = Json::array();
  for (const auto& file : config.members) {
    members.push_back({{"file", file.filename().string()},
                       {"bytes", std::filesystem::file_size(file)},
                       {"fnv1a", content_hash(file)}});
  }
  const Json manifest = {{"members", members},
                         {"quantity", option_name(config.quantity)},
                         {"output_keys", config.output_keys},
                         {"log_scale_key", config.log_scale_key},
                         {"horizontal_flip", config.horizontal_flip},
                         {"dtype", option_name(config.dtype)},
                         {"min_depth", config.min_depth},
                         {"max_depth", config.max_depth},
                         {"depth_scale", config.depth_scale},
                         {"saturation", config.saturation},
                         {"scale_sizes", scale_sizes}};
  return manifest.dump(1) + "\n";
}

void claim_samples_folder(const std::filesystem::path& samples, const std::string& manifest) {
  const auto path = samples / kFile;
  if (std::filesystem::exists(path)) return check_samples_folder(samples, manifest);
  std::filesystem::create_directories(samples);
  write_file_atomically(path, manifest);
}

void check_samples_folder(const std::filesystem::path& samples, const std::string& manifest) {
  const auto path = samples / kFile;
  if (!std::filesystem::exists(path)) return;
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.good() && !stream.eof()) throw IoError(path, "cannot be read");
  if (text == manifest) return;
  const Json before = Json::parse(text, nullptr, false);
  if (before.is_discarded() || !before.is_object()) {
    throw IoError(path, "is not the manifest of an ensemble's samples; remove it");
  }
  const std::string keys = differing_keys(Json::parse(manifest), before);
  throw ConfigError(path.string() + ": the samples here were made with other settings (" + keys +
                    " differ); choose another data.samples, or remove that folder");
}

}  // namespace supn
