// These functions list the images that an app works on.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "supn/data/data_config.hpp"
#include "supn/data/kitti.hpp"

namespace supn {

struct InputImage {
  std::filesystem::path path;
  std::string name;     // of its outputs, unique, without separators
  std::string seed_id;  // with the run's seed it decides the image's noise
};

// --image, as images_from takes it.
void declare_images_option(CLI::App& options, std::filesystem::path& source);

// source: an image file; a folder (its .png, .jpg and .jpeg files but hidden ones, by name, numbers
// in it by value); or a list, a .txt file with one image path a line, relative to the list's
// folder. A name that would be too long for a file is shortened. Throws IoError if there is none,
// ConfigError if two images would get the same name.
std::vector<InputImage> images_from(const std::filesystem::path& source);

// Returns the images of a split. One that is missing is still listed: reading it fails.
std::vector<InputImage> images_of_split(const DataConfig& config, Split split);

}  // namespace supn
