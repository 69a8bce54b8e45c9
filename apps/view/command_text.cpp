#include "view/command_text.hpp"

#include <string_view>

namespace supn {
namespace {

// Returns the text as it is where a shell would leave it so, else in single quotes.
std::string quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string command_text(const ViewArguments& arguments, const InputImage& image) {
  std::string text = arguments.source.gaussian.empty()
                         ? "--checkpoint " + quoted(arguments.source.checkpoint.string())
                         : "--gaussian " + quoted(arguments.source.gaussian.string());
  const bool has_image = arguments.source.gaussian.empty() || !arguments.image.empty();
  if (has_image) text += " --image " + quoted(image.path.string());
  return text;
}

}  // namespace supn
