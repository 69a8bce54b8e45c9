#include "manifest.hpp"

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/file_names.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/json.hpp"

namespace supn {
namespace {

constexpr const char* kFile = "ensemble.json";
constexpr std::uintmax_t kLargestManifest = std::uintmax_t{1} << 28U;

std::string content_hash(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 1U << 16U> buffer{};
  TextHash hash;
  while (stream) {
    stream.read(buffer.data(), buffer.size());
    hash.add({buffer.data(), static_cast<std::size_t>(stream.gcount())});
  }
  if (stream.bad()) throw IoError(file, "cannot be read");
  return hash.digits();
}

std::string differing_keys(const Json& a, const Json& b) {
  std::string text;
  for (const auto& [key, value] : a.items()) {
    const Json* other = find_member(b, key);
    if (other != nullptr && *other == value) continue;
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
  return json_text(manifest, 1) + "\n";
}

void claim_samples_folder(const std::filesystem::path& samples, const std::string& manifest) {
  const auto path = samples / kFile;
  if (is_there(path)) return check_samples_folder(samples, manifest, {});
  write_file_atomically(path, manifest);
}

void check_samples_folder(const std::filesystem::path& samples,
                          const std::string& manifest,
                          std::span<const std::filesystem::path> files) {
  const auto path = samples / kFile;
  if (!is_there(path)) {
    for (const auto& file : files) {
      if (!is_there(file)) continue;
      throw IoError(file,
                    "is there already, and no ensemble.json says that this program has written it; "
                    "choose another data.samples, or remove that folder");
    }
    return;
  }
  const std::string text = read_text(path, kLargestManifest);
  if (text == manifest) return;
  std::string keys;
  try {
    keys = differing_keys(parse_json(manifest), parse_json(text));
  } catch (const JsonError& error) {
    throw IoError(path,
                  std::string("is not the manifest of an ensemble's samples (") + error.what() +
                      "); remove it");
  }
  throw ConfigError(path.string() + ": the samples here were made with other settings (" + keys +
                    " differ); choose another data.samples, or remove that folder");
}

}  // namespace supn
