// The server answers with these.
#pragma once

#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "supn/serialization/json.hpp"

namespace supn {

struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
};

// A request that cannot be answered as it is; what() says which part, what was expected and found.
class BadRequest : public std::runtime_error {
 public:
  explicit BadRequest(const std::string& message, int status = 400)
      : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// {"error": message}
Reply error_reply(int status, const std::string& message);

// Numbers and arrays in one body, for the page to use as they are:
//
//   bytes 0-3   length n of the JSON text, little-endian
//   n bytes     {"arrays": [{"name", "dtype", "shape"}, …], and the facts}, ended by blanks
//   then the arrays in that order, little-endian, each filled up to a multiple of 4 bytes
//
// Every array begins at a multiple of 4 bytes. dtype: float32, int32 or uint8.
class Bundle {
 public:
  // Floating point becomes float32, int64 int32; uint8 stays. Left out where undefined.
  void add(const std::string& name, const at::Tensor& tensor);
  Json& facts() { return facts_; }
  Reply reply() const;

 private:
  Json facts_ = Json::object();
  Json arrays_ = Json::array();
  std::string bytes_;
};

}  // namespace supn
