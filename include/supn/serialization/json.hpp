// This JSON is strict (RFC 8259) and bounded, for the small documents inside and beside model
// files; it needs nothing but the standard library. Numbers are int64 where they are written as
// integers and fit, else double. Objects keep their order; a duplicate key is an error.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace supn {

// what() says what is wrong and at which byte.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value =
      std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object>;

  Json() = default;
  Json(bool value) : value_(value) {}
  Json(std::int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  // Takes at most 64 levels. Throws JsonError.
  static Json parse(std::string_view text);
  std::string dump() const;

  // Throw JsonError saying which type was expected; as_double takes integers too.
  bool as_bool() const;
  std::int64_t as_int() const;
  double as_double() const;
  const std::string& as_string() const;
  const Array& as_array() const;
  const Object& as_object() const;

  // Returns a member of an object; nullptr if there is none.
  const Json* find(std::string_view key) const;
  // Throws JsonError naming the key if there is none.
  const Json& at(std::string_view key) const;

  const Value& value() const { return value_; }
  bool operator==(const Json&) const = default;

 private:
  Value value_ = nullptr;
};

}  // namespace supn
