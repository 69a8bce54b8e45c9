#include "common/number_check.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include "supn/parse_number.hpp"

namespace supn {
namespace {

// To CLI11 a leading zero means base eight.
bool has_leading_zero(const std::string& text) {
  const std::size_t first = text.find_first_not_of("+-");
  return first != std::string::npos && text[first] == '0' && first + 1 < text.size();
}

template <class Integer>
std::string fault_of_integer(const std::string& text, const std::string& expected) {
  return parse_number<Integer>(text) && !has_leading_zero(text) ? "" : "expected " + expected;
}

std::string fault_of_real(const std::string& text) {
  const auto number = parse_number<double>(text);
  return number && std::isfinite(number.value) ? "" : "expected a number";
}

// A type's name holds those of its checks too: "FLOAT:FLOAT in [0 - 1]", or "STD:FLOAT in [0 - 3]".
void check_number(CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto add = [&option](auto fault) {
    option.check([fault](const std::string& text) {
      const std::string message = fault(text);
      return message.empty() ? message : message + ", got '" + text + "'";
    });
  };
  if (type.find("FLOAT") != std::string::npos) {
    add(fault_of_real);
  } else if (type.find("UINT") != std::string::npos) {
    add([](const std::string& text) {
      return fault_of_integer<std::uint64_t>(text, "a whole number from 0 to 2^64 - 1");
    });
  } else if (type.find("INT") != std::string::npos) {
    add([](const std::string& text) {
      return fault_of_integer<std::int64_t>(text, "a whole number");
    });
  }
}

}  // namespace

void check_numbers(CLI::App& options) {
  for (CLI::Option* option : options.get_options()) check_number(*option);
  for (CLI::App* command : options.get_subcommands({})) check_numbers(*command);
}

}  // namespace supn
