#include "inference/inputs.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>

#include "supn/errors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return extension;
}

bool is_image_name(const fs::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

// "a/b/0001.png" is "a_b_0001".
std::string flat_name(const fs::path& path) {
  const fs::path bare = path.lexically_normal().relative_path().replace_extension();
  std::string name;
  for (const fs::path& part : bare) {
    if (part == ".." || part == ".") continue;
    if (!name.empty()) name += '_';
    name += part.string();
  }
  return name;
}

InputImage input_image(const fs::path& path, const std::string& name) {
  return {.path = path, .name = name, .seed_id = name};
}

std::vector<InputImage> images_in_folder(const fs::path& folder) {
  std::vector<InputImage> images;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!is_image_name(entry.path())) continue;
    images.push_back(input_image(entry.path(), entry.path().stem().string()));
  }
  std::sort(images.begin(), images.end(), [](const InputImage& a, const InputImage& b) {
    return a.path < b.path;
  });
  if (images.empty()) throw IoError(folder, "no .png, .jpg or .jpeg files; give another folder");
  return images;
}

std::vector<InputImage> images_in_list(const fs::path& list) {
  std::ifstream stream(list);
  std::vector<InputImage> images;
  for (std::string line; std::getline(stream, line);) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
      line.pop_back();
    }
    if (line.empty()) continue;
    images.push_back(input_image(list.parent_path() / line, flat_name(line)));
  }
  if (images.empty()) throw IoError(list, "names no images; write one path a line");
  return images;
}

void check_names(const std::vector<InputImage>& images) {
  std::map<std::string, fs::path> seen;
  for (const InputImage& image : images) {
    const auto [first, is_new] = seen.emplace(image.name, image.path);
    if (is_new) continue;
    throw ConfigError("--image: " + first->second.string() + " and " + image.path.string() +
                      " would both be written as " + image.name + "; sample them in two runs");
  }
}

std::vector<InputImage> find_images(const fs::path& source) {
  if (fs::is_directory(source)) return images_in_folder(source);
  if (!fs::exists(source)) {
    throw IoError(source, "not found; --image takes an image, a folder or a .txt list of images");
  }
  if (lower_extension(source) == ".txt") return images_in_list(source);
  return {input_image(source, source.stem().string())};
}

}  // namespace

std::vector<InputImage> images_from(const std::filesystem::path& source) {
  std::vector<InputImage> images = find_images(source);
  check_names(images);
  return images;
}

std::vector<InputImage> images_of_split(const DataConfig& config, Split split) {
  std::vector<InputImage> images;
  for (const Frame& frame : read_split(config, split)) {
    InputImage image{.path = {}, .name = flat_name(frame.id()), .seed_id = frame.id()};
    try {
      image.path = image_path(config.root, frame);
    } catch (const IoError&) {
      image.path = config.root / frame.id();  // reported when it is read
    }
    images.push_back(image);
  }
  return images;
}

}  // namespace supn
