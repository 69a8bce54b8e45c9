// A sparse square matrix as CHOLMOD takes it, and CHOLMOD's workspace.
#pragma once

#include <cholmod.h>

#include <vector>

namespace supn::bench {

struct CompressedColumns {
  std::vector<int> start;  // [N + 1]
  std::vector<int> row;    // ascending in each column
  std::vector<double> value;

  std::size_t columns() const { return start.size() - 1; }
};

class CholmodCommon {
 public:
  CholmodCommon() {
    cholmod_start(&common_);
    common_.print = 0;  // standard output belongs to the replies
  }
  ~CholmodCommon() { cholmod_finish(&common_); }
  CholmodCommon(const CholmodCommon&) = delete;
  CholmodCommon& operator=(const CholmodCommon&) = delete;

  cholmod_common* get() { return &common_; }
  cholmod_common* operator->() { return &common_; }

 private:
  cholmod_common common_{};
};

}  // namespace supn::bench
