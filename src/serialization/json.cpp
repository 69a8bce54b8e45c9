#include "supn/serialization/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "supn/excerpt.hpp"

namespace supn {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kLongestReason = 200;  // bytes: the library's reasons quote the text

// Builds the document from the parser's events. The library's own parse lets the last of two equal
// keys win and takes any depth; its callback takes time by the square of the number of keys.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Json document;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (!std::in_range<std::int64_t>(value)) return add(static_cast<double>(value));
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // not in a text
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(std::string& value) override {
    keys_.push_back(std::move(value));
    return true;
  }
  bool end_object() override {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : members()) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) throw JsonError("the key \"" + excerpt(*twice) + "\" is there twice");
    return close();
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    const std::string reason = error.what();  // "[json.exception.parse_error.101] ..."
    throw JsonError(excerpt(reason.substr(reason.find(' ') + 1), kLongestReason));
  }

 private:
  Json::object_t& members() { return open_.back().get_ref<Json::object_t&>(); }

  bool open(Json container) {
    open_.push_back(std::move(container));
    if (open_.size() <= kDeepest) return true;
    throw JsonError("has more than " + std::to_string(kDeepest) + " levels");
  }
  bool close() {
    Json container = std::move(open_.back());
    open_.pop_back();
    return add(std::move(container));
  }
  bool add(Json value) {
    if (open_.empty()) {
      document = std::move(value);
    } else if (open_.back().is_array()) {
      open_.back().push_back(std::move(value));
    } else {
      // This is the vector's function: the map's own would compare with all keys.
      members().emplace_back(std::move(keys_.back()), std::move(value));
      keys_.pop_back();
    }
    return true;
  }

  std::vector<Json> open_;
  std::vector<std::string> keys_;  // whose values are to come
};

[[noreturn]] void refuse(std::string_view name, const std::string& expected, const Json& found) {
  throw JsonError(excerpt(name) + ": expected " + expected + ", found " +
                  excerpt(json_text(found)));
}

// Says what a T is called, and whether the value is one.
template <class T>
std::pair<std::string, bool> kind_of(const Json& value) {
  if constexpr (std::is_same_v<T, bool>) return {"true or false", value.is_boolean()};
  if constexpr (std::is_same_v<T, std::string>) return {"a text", value.is_string()};
  if constexpr (std::is_same_v<T, double>) return {"a number", value.is_number()};
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return {"a whole number", value.is_number_integer() && !value.is_number_unsigned()};
  }
  return {"a list", value.is_array()};
}

}  // namespace

Json parse_json(std::string_view text) {
  // The library takes a NUL for the end and would leave the rest unread.
  const std::size_t nul = text.find('\0');
  if (nul != text.npos) throw JsonError("has a NUL as byte " + std::to_string(nul + 1));
  Builder builder;
  Json::sax_parse(text, &builder);
  return std::move(builder.document);
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string exact_json_text(const Json& json, int indent) {
  std::string text = json_text(json, indent);
  if (parse_json(text) == json) return text;
  throw JsonError("numbers that are not finite and text that is not UTF-8 cannot be stored");
}

const Json& object_of(const Json& value, std::string_view name) {
  if (!value.is_object()) refuse(name, "an object", value);
  return value;
}

const Json* find_member(const Json& object, std::string_view key) {
  if (!object.is_object()) refuse(key, "an object that has it", object);
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const Json& member(const Json& object, std::string_view key) {
  if (const Json* found = find_member(object, key)) return *found;
  throw JsonError(excerpt(key) + " is missing");
}

template <class T>
T value_of(const Json& value, std::string_view name) {
  const auto [kind, is_one] = kind_of<T>(value);
  if (!is_one) refuse(name, kind, value);
  if constexpr (requires(T list) { list.emplace_back(); }) {
    T list;
    for (const Json& item : value) list.push_back(value_of<typename T::value_type>(item, name));
    return list;
  } else {
    return value.get<T>();
  }
}
template bool value_of(const Json&, std::string_view);
template std::int64_t value_of(const Json&, std::string_view);
template double value_of(const Json&, std::string_view);
template std::string value_of(const Json&, std::string_view);
template std::vector<std::int64_t> value_of(const Json&, std::string_view);
template std::vector<double> value_of(const Json&, std::string_view);

template <class T>
T value_in(const Json& value, std::string_view name, T low, T high) {
  const auto [kind, is_one] = kind_of<T>(value);
  if (is_one && value.get<T>() >= low && value.get<T>() <= high) return value.get<T>();
  refuse(name, kind + " in " + Json(low).dump() + " ... " + Json(high).dump(), value);
}
template std::int64_t value_in(const Json&, std::string_view, std::int64_t, std::int64_t);
template double value_in(const Json&, std::string_view, double, double);

}  // namespace supn
