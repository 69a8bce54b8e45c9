// The stack of the pickle machine: values, groups that a mark began, and their limits. All of it
// throws DamagedFile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "damaged_file.hpp"
#include "pickle.hpp"

namespace supn {

inline constexpr std::size_t kMostPickleValues = std::size_t{2} << 20U;
inline constexpr std::size_t kDeepestPickleStack = std::size_t{4} << 20U;

class PickleStack {
 public:
  PickleValue& operator[](PickleId id) { return values_[id]; }
  std::vector<PickleValue> release_values() { return std::move(values_); }

  void push(PickleId id) {
    check(stack_.size() < kDeepestPickleStack, "more pending values than a file may have");
    stack_.push_back(id);
  }
  void push(PickleValue value) {
    check(values_.size() < kMostPickleValues, "more values than a file of weights may have");
    values_.push_back(std::move(value));
    push(static_cast<PickleId>(values_.size() - 1));
  }

  PickleId top() const {
    check(stack_.size() > floor(), "an operation without its operands");
    return stack_.back();
  }
  PickleId pop() {
    const PickleId id = top();
    stack_.pop_back();
    return id;
  }
  std::vector<PickleId> pop_several(std::size_t count) {
    std::vector<PickleId> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }

  void mark() {
    check(marks_.size() < kDeepestPickleStack, "more open groups than a file may have");
    marks_.push_back(stack_.size());
  }
  std::vector<PickleId> pop_to_mark() {
    check(!marks_.empty(), "the end of a group that has no beginning");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleId> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  // A value, or a mark where nothing lies on it.
  void drop() {
    if (!marks_.empty() && marks_.back() == stack_.size()) {
      marks_.pop_back();
    } else {
      pop();
    }
  }

 private:
  static void check(bool condition, const char* fault) {
    if (!condition) throw DamagedFile(std::string("has ") + fault);
  }
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  std::vector<PickleValue> values_;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;
};

}  // namespace supn
