#include "gaussian/sparse/subtree_loop.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace supn {
namespace {

// So many subtrees a thread that the last one to finish keeps the others waiting only shortly.
constexpr std::int64_t kSubtreesPerThread = 4;

std::vector<std::int64_t> roots_of(const Dissection& dissection) {
  const std::int64_t threads = at::get_num_threads();
  return dissection.subtrees(threads == 1 ? 1 : threads * kSubtreesPerThread);
}

void do_subtrees(const Dissection& dissection,
                 const std::vector<std::int64_t>& roots,
                 const FrontRange& work) {
  std::atomic<std::size_t> next{0};
  at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) {
    for (std::size_t i = next++; i < roots.size(); i = next++) {
      const std::int64_t root = roots[i];
      work(dissection.fronts()[static_cast<std::size_t>(root)].first, root + 1);
    }
  });
}

// All fronts that are in no subtree, ascending.
std::vector<std::int64_t> rest_of(const Dissection& dissection,
                                  const std::vector<std::int64_t>& roots) {
  std::vector<std::int64_t> rest;
  std::int64_t index = 0;
  const auto skip_to = [&](std::int64_t end) {
    for (; index < end; ++index) rest.push_back(index);
  };
  for (const std::int64_t root : roots) {
    skip_to(dissection.fronts()[static_cast<std::size_t>(root)].first);
    index = root + 1;
  }
  skip_to(static_cast<std::int64_t>(dissection.fronts().size()));
  return rest;
}

}  // namespace

void upwards(const Dissection& dissection, const FrontRange& work) {
  const std::vector<std::int64_t> roots = roots_of(dissection);
  do_subtrees(dissection, roots, work);
  for (const std::int64_t index : rest_of(dissection, roots)) work(index, index + 1);
}

void downwards(const Dissection& dissection, const FrontRange& work) {
  const std::vector<std::int64_t> roots = roots_of(dissection);
  std::vector<std::int64_t> rest = rest_of(dissection, roots);
  std::reverse(rest.begin(), rest.end());
  for (const std::int64_t index : rest) work(index, index + 1);
  do_subtrees(dissection, roots, work);
}

}  // namespace supn
