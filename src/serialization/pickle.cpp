#include "pickle.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "byte_reader.hpp"
#include "pickle_stack.hpp"

namespace supn {
namespace {

constexpr std::uint8_t kNewestProtocol = 5;

[[noreturn]] void fail(const std::string& what) { throw DamagedFile("has " + what); }

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, std::span<const std::string> globals)
      : in_(bytes), globals_(globals) {}

  Pickle run() {
    try {
      while (step()) {
      }
      const PickleId root = stack_.pop();
      return {stack_.release_values(), root, in_.position()};
    } catch (const DamagedFile& error) {
      throw DamagedFile(std::string(error.what()) + " (at byte " + std::to_string(in_.position()) +
                        " of its pickle)");
    }
  }

 private:
  bool step() {
    const auto code = in_.number<std::uint8_t>();
    if (code == '.') return false;
    if (!push_constant(code) && !use_memo(code) && !use_stack(code) && !make_container(code) &&
        !make_object(code)) {
      fail("an operation (code " + std::to_string(code) + ") that files of weights do not need");
    }
    return true;
  }

  bool push(PickleValue value) {
    stack_.push(std::move(value));
    return true;
  }
  bool push_integer(std::int64_t value) {
    return push({.kind = PickleKind::kInteger, .integer = value});
  }
  bool push_text(PickleKind kind, std::string_view text) {
    return push({.kind = kind, .text = text});
  }
  bool push_long(std::string_view bytes) {
    if (bytes.size() > sizeof(std::int64_t)) return push_text(PickleKind::kLongInteger, bytes);
    const bool negative = !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
    std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(bytes[i]);
    }
    return push_integer(std::bit_cast<std::int64_t>(value));
  }
  bool push_real() {
    std::uint64_t bits = 0;  // big-endian
    for (const char c : in_.take(sizeof(bits))) bits = bits << 8U | static_cast<unsigned char>(c);
    return push({.kind = PickleKind::kReal, .real = std::bit_cast<double>(bits)});
  }

  bool push_constant(std::uint8_t code);
  bool use_memo(std::uint8_t code);
  bool use_stack(std::uint8_t code);
  bool make_container(std::uint8_t code);
  bool make_object(std::uint8_t code);

  bool push_items(PickleKind kind, std::vector<PickleId> items);
  bool extend(PickleKind kind, const std::vector<PickleId>& items);
  bool push_global(std::string_view module, std::string_view name);
  bool call();
  std::vector<PickleId> pairs_of(const PickleValue& arguments);

  ByteReader in_;
  std::span<const std::string> globals_;
  PickleStack stack_;
  std::unordered_map<std::uint32_t, PickleId> memo_;
  std::size_t copied_ = 0;  // items of pairs_of
};

bool PickleMachine::push_constant(std::uint8_t code) {
  switch (code) {
    case 'N':
      return push(PickleValue{});
    case 0x88:  // true
    case 0x89:  // false
      return push({.kind = PickleKind::kBool, .integer = code == 0x88 ? 1 : 0});
    case 'K':
      return push_integer(in_.number<std::uint8_t>());
    case 'M':
      return push_integer(in_.number<std::uint16_t>());
    case 'J':
      return push_integer(in_.number<std::int32_t>());
    case 0x8a:
      return push_long(in_.take(in_.number<std::uint8_t>()));
    case 0x8b:
      return push_long(in_.take(in_.number<std::uint32_t>()));
    case 'G':
      return push_real();
    case 'U':  // strings of Python 2
    case 0x8c:
      return push_text(PickleKind::kText, in_.take(in_.number<std::uint8_t>()));
    case 'T':  // strings of Python 2
    case 'X':
      return push_text(PickleKind::kText, in_.take(in_.number<std::uint32_t>()));
    case 0x8d:
      return push_text(PickleKind::kText, in_.take(in_.number<std::uint64_t>()));
    case 'C':
      return push_text(PickleKind::kBytes, in_.take(in_.number<std::uint8_t>()));
    case 'B':
      return push_text(PickleKind::kBytes, in_.take(in_.number<std::uint32_t>()));
    case 0x8e:
      return push_text(PickleKind::kBytes, in_.take(in_.number<std::uint64_t>()));
    default:
      return false;
  }
}

bool PickleMachine::use_memo(std::uint8_t code) {
  const auto put = [this](std::uint32_t index) {
    if (memo_.size() >= kMostPickleValues) fail("more remembered values than a file may have");
    memo_[index] = stack_.top();
    return true;
  };
  const auto recall = [this](std::uint32_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) fail("a reference to value " + std::to_string(index) + ", not given");
    stack_.push(found->second);
    return true;
  };
  switch (code) {
    case 'q':
      return put(in_.number<std::uint8_t>());
    case 'r':
      return put(in_.number<std::uint32_t>());
    case 0x94:
      return put(static_cast<std::uint32_t>(memo_.size()));
    case 'h':
      return recall(in_.number<std::uint8_t>());
    case 'j':
      return recall(in_.number<std::uint32_t>());
    default:
      return false;
  }
}

bool PickleMachine::use_stack(std::uint8_t code) {
  switch (code) {
    case '(':
      stack_.mark();
      return true;
    case '0':
      stack_.drop();
      return true;
    case '1':
      stack_.pop_to_mark();
      return true;
    case '2':
      stack_.push(stack_.top());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::push_items(PickleKind kind, std::vector<PickleId> items) {
  if (kind == PickleKind::kDict && items.size() % 2 != 0) fail("a key without a value");
  return push({.kind = kind, .items = std::move(items)});
}

bool PickleMachine::extend(PickleKind kind, const std::vector<PickleId>& items) {
  PickleValue& target = stack_[stack_.top()];
  if (target.kind != kind) fail("an item for something that is no container of its kind");
  if (kind == PickleKind::kDict && items.size() % 2 != 0) fail("a key without a value");
  target.items.insert(target.items.end(), items.begin(), items.end());
  return true;
}

bool PickleMachine::make_container(std::uint8_t code) {
  switch (code) {
    case ')':
      return push_items(PickleKind::kTuple, {});
    case ']':
      return push_items(PickleKind::kList, {});
    case '}':
      return push_items(PickleKind::kDict, {});
    case 't':
      return push_items(PickleKind::kTuple, stack_.pop_to_mark());
    case 'l':
      return push_items(PickleKind::kList, stack_.pop_to_mark());
    case 'd':
      return push_items(PickleKind::kDict, stack_.pop_to_mark());
    case 0x85:
    case 0x86:
    case 0x87:
      return push_items(PickleKind::kTuple, stack_.pop_several(code - 0x84U));
    case 'a':
      return extend(PickleKind::kList, stack_.pop_several(1));
    case 'e':
      return extend(PickleKind::kList, stack_.pop_to_mark());
    case 's':
      return extend(PickleKind::kDict, stack_.pop_several(2));
    case 'u':
      return extend(PickleKind::kDict, stack_.pop_to_mark());
    default:
      return false;
  }
}

bool PickleMachine::push_global(std::string_view module, std::string_view name) {
  const std::string full = std::string(module) + "." + std::string(name);
  if (full == kOrderedDict) return push_text(PickleKind::kGlobal, kOrderedDict);
  const auto found = std::find(globals_.begin(), globals_.end(), full);
  if (found != globals_.end()) return push_text(PickleKind::kGlobal, *found);
  throw DamagedFile("refers to " + excerpt(full) +
                    ", which a file of weights does not need and which could run code; nothing of "
                    "it was run");
}

// Takes OrderedDict() or, from Python 2, OrderedDict([[key, value], …]).
std::vector<PickleId> PickleMachine::pairs_of(const PickleValue& arguments) {
  std::vector<PickleId> items;
  if (arguments.items.empty()) return items;
  for (const PickleId id : stack_[arguments.items.front()].items) {
    const PickleValue& pair = stack_[id];
    if (arguments.items.size() != 1 || pair.items.size() != 2) fail("a dict of no pairs");
    // One list may be copied again and again, for a few bytes each time.
    if (++copied_ > kMostPickleValues) fail("more values than a file of weights may have");
    items.insert(items.end(), pair.items.begin(), pair.items.end());
  }
  return items;
}

bool PickleMachine::call() {
  const PickleId arguments = stack_.pop();
  const PickleValue& function = stack_[stack_.pop()];
  if (function.kind != PickleKind::kGlobal || stack_[arguments].kind != PickleKind::kTuple) {
    fail("a call of something that cannot be called");
  }
  if (function.text == kOrderedDict) {
    return push_items(PickleKind::kDict, pairs_of(stack_[arguments]));
  }
  return push({.kind = PickleKind::kCall, .text = function.text, .items = {arguments}});
}

bool PickleMachine::make_object(std::uint8_t code) {
  switch (code) {
    case 0x80: {
      const auto protocol = in_.number<std::uint8_t>();
      if (protocol > kNewestProtocol) fail("pickle protocol " + std::to_string(protocol));
      return true;
    }
    case 0x95:  // how long a frame is: a hint for readers of streams
      in_.take(8);
      return true;
    case 'c': {
      const std::string_view module = in_.line();
      return push_global(module, in_.line());
    }
    case 0x93: {
      const PickleValue& name = stack_[stack_.pop()];
      const PickleValue& module = stack_[stack_.pop()];
      if (name.kind != PickleKind::kText || module.kind != PickleKind::kText) {
        fail("a global whose name is no text");
      }
      return push_global(module.text, name.text);
    }
    case 'R':
      return call();
    case 'b':  // attributes, such as a state dict's _metadata: ignored
      stack_.pop();
      if (stack_[stack_.top()].kind != PickleKind::kDict)
        fail("attributes of something else than a dict");
      return true;
    case 'Q': {
      const PickleId id = stack_.pop();
      if (stack_[id].kind != PickleKind::kTuple) fail("a persistent id that is no tuple");
      return push({.kind = PickleKind::kPersistent, .items = {id}});
    }
    default:
      return false;
  }
}

}  // namespace

Pickle read_pickle(std::string_view bytes, std::span<const std::string> globals) {
  return PickleMachine(bytes, globals).run();
}

}  // namespace supn
