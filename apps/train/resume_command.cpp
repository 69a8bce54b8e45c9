#include "train/resume_command.hpp"

#include <cctype>
#include <string_view>

namespace supn {
namespace {

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
}

std::string quoted(std::string_view argument) {
  bool plain = !argument.empty();
  for (const char c : argument) plain = plain && is_plain(c);
  if (plain) return std::string(argument);
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string resume_command(const CommandLine& call, std::int64_t processes) {
  constexpr std::string_view kResume = "--resume";
  std::string command;
  if (processes > 1) {
    command = "torchrun --nproc-per-node " + std::to_string(processes) + " --no-python ";
  }
  for (int i = 0; i < call.argc; ++i) {
    if (call.argv[i] != kResume) command += quoted(call.argv[i]) + ' ';
  }
  return command += kResume;
}

}  // namespace supn
