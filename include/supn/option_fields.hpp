// Options are declared once. A config struct lists its members in one static function:
//
//   struct ScheduleConfig {
//     double factor = 0.5;
//     std::vector<std::int64_t> halve_after = {1, 5, 15};
//     template <class Self, class Visitor>
//     static void fields(Self& self, Visitor&& visit) {
//       visit(option("factor", self.factor, "learning-rate factor at each step").range(0.0, 1.0));
//       visit(option("halve_after", self.halve_after, "epochs after which the factor is applied"));
//     }
//   };
//
// and that declaration drives YAML reading and writing, `--set a.b=c`, `--help` and the docs
// (supn/config). A member that is itself such a struct is declared with section(). Types: bool,
// std::int64_t, double, std::string, std::filesystem::path (relative to the file that names it;
// empty = not set), an enum with OptionNames, and std::vector of any of these but bool.
#pragma once

#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace supn {

template <class T>
struct Option {
  std::string_view name;
  T& value;
  std::string_view doc;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();

  // Both ends are allowed values; of a vector every element is checked.
  constexpr Option range(double low, double high) const {
    Option ranged = *this;
    ranged.minimum = low;
    ranged.maximum = high;
    return ranged;
  }
};

template <class T>
struct Section {
  std::string_view name;
  T& value;
  std::string_view doc;
};

template <class T>
constexpr Option<T> option(std::string_view name, T& value, std::string_view doc) {
  return {name, value, doc};
}

template <class T>
constexpr Section<T> section(std::string_view name, T& value, std::string_view doc) {
  return {name, value, doc};
}

// The spelling of an enum's values in configuration files; specialise with
//   static constexpr std::array<std::pair<std::string_view, Enum>, n> values{{{"name", Enum::kName}}};
template <class Enum>
struct OptionNames;

template <class Enum>
constexpr std::string_view option_name(Enum value) {
  for (const auto& [name, candidate] : OptionNames<Enum>::values) {
    if (candidate == value) return name;
  }
  return "?";
}

}  // namespace supn
