// Every method of conditioning over every order, on 6 × 8 pixels.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <vector>

#include "conditioning_fixture.hpp"
#include "supn/gaussian/conditioning.hpp"

namespace supn::test {

enum class Columns { kComputed, kKept };

struct ConditioningCase {
  Neighbourhood neighbourhood;
  Method method;
  Columns columns = Columns::kComputed;
};

inline void PrintTo(const ConditioningCase& c, std::ostream* out) {
  *out << c.neighbourhood.description() << ", method " << static_cast<int>(c.method)
       << (c.columns == Columns::kKept ? ", columns kept" : "");
}

class Conditioning : public testing::TestWithParam<ConditioningCase> {
 protected:
  StructuredGaussian gaussian() const {
    return random_gaussian(GetParam().neighbourhood, {1, 6, 8});
  }
  ConditionedGaussian conditioned(const Observations& observations,
                                  const CommonUnknown& common = {}) const {
    const StructuredGaussian g = gaussian();
    ConditioningOptions options = by(GetParam().method);
    options.common = common;
    if (GetParam().columns == Columns::kKept) {
      options.columns = std::make_shared<CovarianceColumns>(g, g.pixels());
    }
    return {g, observations, options};
  }
  bool factored() const { return GetParam().method != Method::kPcg; }
};

inline std::vector<ConditioningCase> conditioning_cases() {
  std::vector<ConditioningCase> cases;
  for (const Neighbourhood& order : small_orders()) {
    for (const Method method : {Method::kDense, Method::kSparse, Method::kPcg}) {
      if (order.is_raster() || method != Method::kSparse) cases.push_back({order, method});
    }
    cases.push_back({order, Method::kDense, Columns::kKept});
  }
  return cases;
}

}  // namespace supn::test
