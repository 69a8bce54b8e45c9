#include "inference/inputs.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

#include "supn/errors.hpp"
#include "supn/serialization/file_names.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/user_path.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestList = std::uintmax_t{1} << 28U;

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

// The seed goes by the whole name.
InputImage input_image(const fs::path& path, const std::string& name) {
  return {.path = path, .name = shortened_name(name), .seed_id = name};
}

// Orders names as people count: IMG_2 comes before IMG_10. Names that differ in leading zeros alone
// go by their bytes.
bool comes_before(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number_of = [&](std::string_view text) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::size_t zeros = std::min(text.find_first_not_of('0'), end);
    return text.substr(zeros, end - zeros);
  };
  const auto length_of = [](std::string_view text) {
    return std::min(text.find_first_not_of("0123456789"), text.size());
  };
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = number_of(a);
      const std::string_view y = number_of(b);
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
      a.remove_prefix(length_of(a));
      b.remove_prefix(length_of(b));
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() != b.empty() ? a.empty() : whole_a < whole_b;
}

std::vector<InputImage> images_in_folder(const fs::path& folder) {
  std::vector<InputImage> images;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    // Systems leave hidden companions of files, such as ._photo.jpg.
    if (!is_image_name(entry.path()) || entry.path().filename().string().starts_with('.')) continue;
    images.push_back(input_image(entry.path(), entry.path().stem().string()));
  }
  std::sort(images.begin(), images.end(), [](const InputImage& a, const InputImage& b) {
    return comes_before(a.path.filename().string(), b.path.filename().string());
  });
  if (images.empty()) throw IoError(folder, "no .png, .jpg or .jpeg files; give another folder");
  return images;
}

std::vector<InputImage> images_in_list(const fs::path& list) {
  std::istringstream stream(read_text(list, kLargestList));
  std::vector<InputImage> images;
  for (std::string line; std::getline(stream, line);) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
      line.pop_back();
    }
    if (line.empty()) continue;
    const fs::path path = expanded_path(line);
    images.push_back(input_image(list.parent_path() / path, flat_name(path)));
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
  if (std::error_code error; fs::is_directory(source, error)) return images_in_folder(source);
  if (!is_there(source)) {
    throw IoError(source, "not found; --image takes an image, a folder or a .txt list of images");
  }
  require_file(source);
  if (lower_extension(source) == ".txt") return images_in_list(source);
  return {input_image(source, source.stem().string())};
}

}  // namespace

void declare_images_option(CLI::App& options, std::filesystem::path& source) {
  options
      .add_option("--image",
                  source,
                  "an image, a folder of images, or a .txt list of images (one path a line)")
      ->type_name("FILE|FOLDER|LIST")
      ->always_capture_default(false);
}

std::vector<InputImage> images_from(const std::filesystem::path& source) {
  std::vector<InputImage> images = find_images(source);
  check_names(images);
  return images;
}

std::vector<InputImage> images_of_split(const DataConfig& config, Split split) {
  std::vector<InputImage> images;
  for (const Frame& frame : read_split(config, split)) {
    InputImage image{
        .path = {}, .name = shortened_name(flat_name(frame.id())), .seed_id = frame.id()};
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
