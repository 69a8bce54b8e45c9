// Python pickles (protocols 2 to 5) are read as plain values. Nothing is ever called: globals are
// names, allowed one by one; a call of one is a value that holds its name and arguments. Only
// collections.OrderedDict is understood here, as a dict.
//
// Memory is linear in the pickle's size: values live in one vector and refer to each other by
// index, so that shared and cyclic references cost nothing. Whoever walks through them must bound
// depth and count.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supn {

using PickleId = std::uint32_t;

enum class PickleKind : std::uint8_t {
  kNone,
  kBool,         // integer
  kInteger,      // integer
  kLongInteger,  // text: little-endian two's complement of more than 64 bits
  kReal,         // real
  kText,         // text, not checked to be UTF-8
  kBytes,        // text
  kTuple,        // items
  kList,         // items
  kDict,         // items: key, value, key, value, … with repeats as they come
  kGlobal,       // text: "module.name"
  kCall,         // text: "module.name", items: one, the tuple of arguments
  kPersistent    // items: one, the tuple that is the persistent id
};

struct PickleValue {
  PickleKind kind = PickleKind::kNone;
  std::int64_t integer = 0;
  double real = 0.0;
  std::string_view text = {};
  std::vector<PickleId> items = {};
};

inline constexpr std::string_view kOrderedDict = "collections.OrderedDict";

struct Pickle {
  std::vector<PickleValue> values;
  PickleId root = 0;
  std::size_t bytes = 0;  // of the pickle, up to and with its end

  const PickleValue& operator[](PickleId id) const { return values[id]; }
  const PickleValue& top() const { return values[root]; }
};

// The pickle that `bytes` starts with; `globals` are the allowed ones besides OrderedDict, as
// "module.name". The result refers to both. Throws DamagedFile for anything that is damaged, too
// large, or not among these values; a global that is not allowed is named.
Pickle read_pickle(std::string_view bytes, std::span<const std::string> globals);

}  // namespace supn
