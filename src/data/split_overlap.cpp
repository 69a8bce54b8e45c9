#include "supn/data/split_overlap.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "supn/data/kitti.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using Ids = std::vector<std::string>;

struct SplitList {
  std::string key;
  Ids ids;
};

SplitList list_of(const DataConfig& config, Split split) {
  SplitList list{"data." + std::string(option_name(split)) + "_split", {}};
  const std::filesystem::path& file = split_file(config, split);
  if (file.empty()) return list;
  try {
    for (const Frame& frame : read_split(file)) list.ids.push_back(frame.id());
  } catch (const IoError&) {
    list.ids.clear();
  }
  return list;
}

Ids repeated(const Ids& ids) {
  std::set<std::string> seen;
  std::set<std::string> told;
  Ids twice;
  for (const std::string& id : ids) {
    if (!seen.insert(id).second && told.insert(id).second) twice.push_back(id);
  }
  return twice;
}

Ids shared(const Ids& first, const Ids& second) {
  const std::set<std::string> known(first.begin(), first.end());
  std::set<std::string> told;
  Ids both;
  for (const std::string& id : second) {
    if (known.count(id) > 0 && told.insert(id).second) both.push_back(id);
  }
  return both;
}

// "3 frames (a, b, c)", of more than three the first three.
std::string frames_text(const Ids& ids) {
  constexpr std::size_t kShown = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(kShown, ids.size()); ++i) {
    names += (i == 0 ? "" : ", ") + ids[i];
  }
  return std::to_string(ids.size()) + (ids.size() == 1 ? " frame (" : " frames (") + names +
         (ids.size() > kShown ? ", …)" : ")");
}

}  // namespace

std::vector<std::string> split_overlaps(const DataConfig& config) {
  std::array<SplitList, 4> lists;
  std::size_t count = 0;
  for (const auto& [name, split] : OptionNames<Split>::values) {
    lists[count++] = list_of(config, split);
  }
  std::vector<std::string> sentences;
  for (const SplitList& list : lists) {
    const Ids twice = repeated(list.ids);
    if (!twice.empty()) {
      sentences.push_back(list.key + " names " + frames_text(twice) + " more than once");
    }
  }
  // A sequence is often taken from the training images.
  constexpr std::array<std::pair<std::size_t, std::size_t>, 3> kApart{{{0, 1}, {0, 2}, {1, 2}}};
  for (const auto& [first, second] : kApart) {
    const Ids both = shared(lists[first].ids, lists[second].ids);
    if (both.empty()) continue;
    sentences.push_back(lists[first].key + " and " + lists[second].key + " share " +
                        frames_text(both) +
                        ": what is measured on images that were trained on looks too good");
  }
  return sentences;
}

}  // namespace supn
