// One declaration of fields() (option_fields.hpp) gives reading, writing and listing.
//
//   read_options(config, load_config_tree("a.yaml", {}));
//   std::string yaml = options_as_yaml(list_options(config));
//   std::vector<OptionEntry> options = list_options(Config());
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "supn/config/config_node.hpp"
#include "supn/config/option_values.hpp"
#include "supn/errors.hpp"
#include "supn/option_fields.hpp"

namespace supn {

struct OptionEntry {
  std::string key;      // full name, "data.height"; of a section "data"
  std::string type;     // "whole number", "list of paths", ...; empty for a section
  std::string value;    // as written in YAML; empty for a section
  std::string allowed;  // range or choices, empty = any
  std::string doc;
};

namespace option_tree {

template <class T>
struct ListElement {
  using Type = void;
};
template <class T>
struct ListElement<std::vector<T>> {
  using Type = T;
};
template <class T>
inline constexpr bool kIsList = !std::is_void_v<typename ListElement<T>::Type>;
template <class T>
inline constexpr bool kIsNumber = std::same_as<T, std::int64_t> || std::same_as<T, double>;

template <class Enum>
constexpr auto choices() {
  std::array<std::string_view, OptionNames<Enum>::values.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = OptionNames<Enum>::values[i].first;
  return names;
}

template <class T>
T read_as(const ConfigNode& node, const std::string& key, ValueRange range) {
  if constexpr (kIsList<T>) {
    T list;
    for (const ConfigNode& item : read_list(node, key)) {
      list.push_back(read_as<typename ListElement<T>::Type>(item, key, range));
    }
    return list;
  } else if constexpr (std::is_enum_v<T>) {
    return OptionNames<T>::values[read_choice(node, key, choices<T>())].second;
  } else if constexpr (std::same_as<T, bool>) {
    return read_bool(node, key);
  } else if constexpr (std::same_as<T, std::string>) {
    return read_text(node, key);
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return read_path(node, key);
  } else {
    static_assert(kIsNumber<T>, "an option's type must be one of option_fields.hpp");
    T value{};
    if constexpr (std::same_as<T, double>) {
      value = read_real(node, key);
    } else {
      value = read_integer(node, key);
    }
    check_range(static_cast<double>(value), range, node, key);
    return value;
  }
}

template <class T>
std::string format_as(const T& value) {
  if constexpr (kIsList<T>) {
    std::string text;
    for (const auto& item : value) text += (text.empty() ? "" : ", ") + format_as(item);
    return "[" + text + "]";
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(option_name(value));
  } else if constexpr (std::same_as<T, bool>) {
    return format_bool(value);
  } else if constexpr (std::same_as<T, std::int64_t>) {
    return format_integer(value);
  } else if constexpr (std::same_as<T, double>) {
    return format_real(value);
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return format_text(value.string());
  } else {
    return format_text(value);
  }
}

template <class T>
std::string type_name() {
  if constexpr (kIsList<T>) {
    return "list of " + type_name<typename ListElement<T>::Type>() + "s";
  } else if constexpr (std::is_enum_v<T>) {
    return "choice";
  } else if constexpr (std::same_as<T, bool>) {
    return "true/false";
  } else if constexpr (std::same_as<T, std::int64_t>) {
    return "whole number";
  } else if constexpr (std::same_as<T, double>) {
    return "number";
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return "path";
  } else {
    return "text";
  }
}

template <class T>
std::string allowed(ValueRange range) {
  if constexpr (kIsList<T>) {
    return allowed<typename ListElement<T>::Type>(range);
  } else if constexpr (std::is_enum_v<T>) {
    std::string text;
    for (const std::string_view name : choices<T>()) {
      text += (text.empty() ? "" : ", ") + std::string(name);
    }
    return text;
  } else {
    return format_range(range);
  }
}

template <class Struct>
class Lister {
 public:
  explicit Lister(std::string prefix) : prefix_(std::move(prefix)) {}

  template <class T>
  void operator()(const Option<T>& option) {
    using Value = std::remove_const_t<T>;
    entries_.push_back({prefix_ + std::string(option.name),
                        type_name<Value>(),
                        format_as<Value>(option.value),
                        allowed<Value>({option.minimum, option.maximum}),
                        std::string(option.doc)});
  }

  template <class T>
  void operator()(const Section<T>& section) {
    const std::string key = prefix_ + std::string(section.name);
    entries_.push_back({key, "", "", "", std::string(section.doc)});
    Lister<std::remove_const_t<T>> inner(key + ".");
    std::remove_const_t<T>::fields(section.value, inner);
    for (OptionEntry& entry : inner.take()) entries_.push_back(std::move(entry));
  }

  std::vector<OptionEntry> take() { return std::move(entries_); }

 private:
  std::string prefix_;
  std::vector<OptionEntry> entries_;
};

class Reader {
 public:
  Reader(const ConfigNode& node, std::string prefix, std::span<const std::string> all_keys)
      : node_(node), prefix_(std::move(prefix)), all_keys_(all_keys) {}

  template <class T>
  void operator()(const Option<T>& option) {
    names_.emplace_back(option.name);
    const ConfigNode* found = node_.find(option.name);
    if (found == nullptr) return;
    option.value = read_as<T>(*found, prefix_ + names_.back(), {option.minimum, option.maximum});
  }

  template <class T>
  void operator()(const Section<T>& section) {
    names_.emplace_back(section.name);
    const ConfigNode* found = node_.find(section.name);
    if (found == nullptr || found->kind == ConfigNode::Kind::kEmpty) return;
    const std::string key = prefix_ + names_.back();
    if (found->kind != ConfigNode::Kind::kSection) {
      throw ConfigError(found->place + ": " + key + ": is a section, set one of its keys");
    }
    Reader inner(*found, key + ".", all_keys_);
    T::fields(section.value, inner);
    inner.finish();
  }

  void finish() const { check_keys(node_, prefix_, {names_, all_keys_}); }

 private:
  const ConfigNode& node_;
  std::string prefix_;
  std::span<const std::string> all_keys_;
  std::vector<std::string> names_;
};

}  // namespace option_tree

// Every section and option, in the order of declaration, with the values that `config` holds.
template <class T>
std::vector<OptionEntry> list_options(const T& config) {
  option_tree::Lister<T> lister("");
  T::fields(config, lister);
  return lister.take();
}

// Sets what the tree names, leaves the rest as it is. Throws ConfigError.
template <class T>
void read_options(T& config, const ConfigNode& tree) {
  std::vector<std::string> all_keys;
  for (const OptionEntry& entry : list_options(config)) {
    if (!entry.type.empty()) all_keys.push_back(entry.key);
  }
  option_tree::Reader reader(tree, "", all_keys);
  T::fields(config, reader);
  reader.finish();
}

// The entries of list_options as YAML, and as Markdown tables, one per top section.
std::string options_as_yaml(std::span<const OptionEntry> entries);
std::string options_as_markdown(std::span<const OptionEntry> entries);

}  // namespace supn
