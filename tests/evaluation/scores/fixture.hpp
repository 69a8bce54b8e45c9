// The cases of make_fixtures.py, and small tensors written by hand.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace supn::evaluation_test {

inline at::Tensor tensor_of(const std::vector<double>& values) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, at::kDouble);
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<double>());
  return tensor;
}

class Fixture {
 public:
  explicit Fixture(const std::string& name) {
    std::ifstream file(std::string(SUPN_SOURCE_DIR) + "/tests/evaluation/scores/" + name);
    for (std::string line; std::getline(file, line);) {
      std::istringstream fields(line);
      std::string key;
      fields >> key;
      for (double value = 0; fields >> value;) values_[key].push_back(value);
    }
    if (values_.empty()) throw std::runtime_error("no fixture " + name);
  }
  const std::vector<double>& values(const std::string& key) const { return values_.at(key); }
  at::Tensor tensor(const std::string& key) const { return tensor_of(values(key)); }

 private:
  std::map<std::string, std::vector<double>> values_;
};

}  // namespace supn::evaluation_test
