// The one door to JSON. Documents are nlohmann's, and foreign text becomes one here alone, strictly
// (RFC 8259) and within bounds. A source that builds or takes apart a document includes
// <nlohmann/json.hpp> too.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace supn {

// Keys keep their order, as people read these files too. To find one, those before it are visited.
using Json = nlohmann::ordered_json;

// what() says in one line where a text is not JSON, or what was expected of a key and what is there.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Numbers are int64 where they are written as integers and fit, else double. Throws JsonError for
// bytes that are not UTF-8, an object with a key twice, numbers beyond double, more than 64 levels,
// and text after the end.
Json parse_json(std::string_view text);

// What JSON cannot hold becomes null (numbers that are not finite) and U+FFFD (bytes that are not
// UTF-8). indent: -1 for one line, else the blanks of a level.
std::string json_text(const Json& json, int indent = -1);
// Throws JsonError unless parse_json gives the same document again.
std::string exact_json_text(const Json& json, int indent = -1);

// All that follow throw JsonError, which calls the value by `name`.
const Json& object_of(const Json& value, std::string_view name);
// Returns nullptr where the object lacks the key.
const Json* find_member(const Json& object, std::string_view key);
const Json& member(const Json& object, std::string_view key);

// T: bool, std::int64_t, double (of integers too), std::string, a std::vector of int64 or double.
template <class T>
T value_of(const Json& value, std::string_view name);
template <class T>
T value_at(const Json& object, std::string_view key) {
  return value_of<T>(member(object, key), key);
}
// The value lies in low ... high. T: std::int64_t or double.
template <class T>
T value_in(const Json& value, std::string_view name, T low, T high);

}  // namespace supn
