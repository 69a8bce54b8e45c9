#include "supn/serialization/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "supn/excerpt.hpp"

namespace supn {
namespace {

// A decimal point without a digit after it, which from_chars would take.
bool has_bare_point(std::string_view digits) {
  const std::size_t point = digits.find('.');
  if (point == std::string_view::npos) return false;
  return point + 1 == digits.size() || digits[point + 1] < '0' || digits[point + 1] > '9';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Json document() {
    Json value = parse_value(0);
    skip_space();
    if (at_ != text_.size()) fail("text after the end");
    return value;
  }

 private:
  static constexpr int kDeepest = 64;

  [[noreturn]] void fail(const std::string& what) const {
    throw JsonError("JSON: " + what + " at byte " + std::to_string(at_));
  }

  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    skip_space();
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }

  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Json parse_value(int depth) {
    if (depth > kDeepest) fail("nested too deeply");
    skip_space();
    switch (peek()) {
      case '{':
        return parse_object(depth);
      case '[':
        return parse_array(depth);
      case '"':
        return Json(parse_string());
      default:
        break;
    }
    if (take_word("true")) return Json(true);
    if (take_word("false")) return Json(false);
    if (take_word("null")) return Json();
    return parse_number();
  }

  Json parse_object(int depth) {
    expect('{');
    Json::Object object;
    std::set<std::string> known;
    if (take('}')) return Json(std::move(object));
    do {
      skip_space();
      std::string key = parse_string();
      if (!known.insert(key).second) fail("duplicate key \"" + excerpt(key) + "\"");
      expect(':');
      object.emplace_back(std::move(key), parse_value(depth + 1));
    } while (take(','));
    expect('}');
    return Json(std::move(object));
  }

  Json parse_array(int depth) {
    expect('[');
    Json::Array array;
    if (take(']')) return Json(std::move(array));
    do array.push_back(parse_value(depth + 1));
    while (take(','));
    expect(']');
    return Json(std::move(array));
  }

  Json parse_number() {
    const std::size_t start = at_;
    while (std::string_view("+-.0123456789eE").find(peek()) != std::string_view::npos &&
           peek() != '\0')
      ++at_;
    const std::string_view token = text_.substr(start, at_ - start);
    const std::string_view digits = token.substr(token.starts_with('-') ? 1 : 0);
    const bool well_formed =
        !digits.empty() && digits[0] >= '0' && digits[0] <= '9' &&
        (digits.size() == 1 || digits[0] != '0' || digits[1] < '0' || digits[1] > '9') &&
        !has_bare_point(digits);
    if (!well_formed) fail("expected a value");
    std::int64_t integer = 0;
    const char* end = token.data() + token.size();
    if (const auto [stop, error] = std::from_chars(token.data(), end, integer);
        error == std::errc() && stop == end) {
      return Json(integer);
    }
    double real = 0.0;
    const auto [stop, error] = std::from_chars(token.data(), end, real);
    if (error != std::errc() || stop != end || !std::isfinite(real)) fail("malformed number");
    return Json(real);
  }

  std::string parse_string() {
    if (peek() != '"') fail("expected a string");
    ++at_;
    std::string result;
    while (true) {
      if (at_ >= text_.size()) fail("string without an end");
      const char c = text_[at_++];
      if (c == '"') return result;
      if (static_cast<unsigned char>(c) < 0x20) fail("control character in a string");
      if (c == '\\')
        append_escape(result);
      else
        result += c;
    }
  }

  void append_escape(std::string& result) {
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
    const char c = peek();
    ++at_;
    if (c == 'u') return append_code_point(result);
    const std::size_t index = c == '\0' ? std::string_view::npos : kEscapes.find(c);
    if (index == std::string_view::npos) fail("unknown escape");
    result += kMeaning[index];
  }

  std::uint32_t parse_hex() {
    std::uint32_t code = 0;
    const std::string_view token = text_.substr(std::min(at_, text_.size()), 4);
    const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), code, 16);
    if (token.size() != 4 || error != std::errc() || stop != token.data() + 4)
      fail("malformed \\u escape");
    at_ += 4;
    return code;
  }

  void append_code_point(std::string& result) {
    std::uint32_t code = parse_hex();
    if (code >= 0xD800 && code < 0xDC00) {
      if (!take_word("\\u")) fail("half of a surrogate pair");
      const std::uint32_t low = parse_hex();
      if (low < 0xDC00 || low > 0xDFFF) fail("half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
      fail("half of a surrogate pair");
    }
    const auto append = [&](std::uint32_t byte) { result += static_cast<char>(byte); };
    if (code < 0x80) return append(code);
    if (code < 0x800) {
      append(0xC0 | code >> 6U);
    } else if (code < 0x10000) {
      append(0xE0 | code >> 12U);
      append(0x80 | (code >> 6U & 0x3FU));
    } else {
      append(0xF0 | code >> 18U);
      append(0x80 | (code >> 12U & 0x3FU));
      append(0x80 | (code >> 6U & 0x3FU));
    }
    append(0x80 | (code & 0x3FU));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void dump_string(const std::string& text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    } else {
      out += c;
    }
  }
  out += '"';
}

void dump_number(double value, std::string& out) {
  if (!std::isfinite(value)) throw JsonError("JSON: cannot store a number that is not finite");
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  const std::string text(buffer.data(), end);
  out += text;
  if (text.find_first_of(".e") == std::string::npos) out += ".0";  // stays a double when read again
}

void dump_value(const Json& json, std::string& out);

struct Dumper {
  std::string& out;
  void operator()(std::nullptr_t) const { out += "null"; }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(std::int64_t value) const { out += std::to_string(value); }
  void operator()(double value) const { dump_number(value, out); }
  void operator()(const std::string& value) const { dump_string(value, out); }
  void operator()(const Json::Array& array) const {
    out += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (i > 0) out += ", ";
      dump_value(array[i], out);
    }
    out += ']';
  }
  void operator()(const Json::Object& object) const {
    out += '{';
    for (std::size_t i = 0; i < object.size(); ++i) {
      if (i > 0) out += ", ";
      dump_string(object[i].first, out);
      out += ": ";
      dump_value(object[i].second, out);
    }
    out += '}';
  }
};

void dump_value(const Json& json, std::string& out) { std::visit(Dumper{out}, json.value()); }

template <class T>
const T& expect_type(const Json::Value& value, const char* name) {
  const T* found = std::get_if<T>(&value);
  if (found == nullptr) throw JsonError(std::string("JSON: expected ") + name);
  return *found;
}

}  // namespace

Json Json::parse(std::string_view text) { return Parser(text).document(); }

std::string Json::dump() const {
  std::string out;
  dump_value(*this, out);
  return out;
}

bool Json::as_bool() const { return expect_type<bool>(value_, "true or false"); }
std::int64_t Json::as_int() const { return expect_type<std::int64_t>(value_, "an integer"); }
double Json::as_double() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_))
    return static_cast<double>(*integer);
  return expect_type<double>(value_, "a number");
}
const std::string& Json::as_string() const { return expect_type<std::string>(value_, "a string"); }
const Json::Array& Json::as_array() const { return expect_type<Array>(value_, "an array"); }
const Json::Object& Json::as_object() const { return expect_type<Object>(value_, "an object"); }

const Json* Json::find(std::string_view key) const {
  for (const auto& [name, value] : as_object()) {
    if (name == key) return &value;
  }
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  const Json* found = find(key);
  if (found == nullptr) throw JsonError("JSON: there is no key \"" + std::string(key) + "\"");
  return *found;
}

}  // namespace supn
