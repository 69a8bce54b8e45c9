// <samples>/ensemble.json: what a folder of sample files was made with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "supn/ensemble/ensemble_config.hpp"

namespace supn {

// Members by file name, size and content, settings, sizes per scale ({h, w}): whatever changes the
// files' content, and nothing that doesn't.
std::string manifest_text(const EnsembleConfig& config,
                          const std::vector<std::vector<std::int64_t>>& scale_sizes);

// Writes the manifest where there is none. Throws as check_samples_folder, and IoError where it
// cannot be written.
void claim_samples_folder(const std::filesystem::path& samples, const std::string& manifest);

// Throws ConfigError naming what differs where there is another one, IoError where it cannot be
// read, or where there is none and yet one of `files`, which the ensemble is to write: somebody
// else's.
void check_samples_folder(const std::filesystem::path& samples,
                          const std::string& manifest,
                          std::span<const std::filesystem::path> files);

}  // namespace supn
