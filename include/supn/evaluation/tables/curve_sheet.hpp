// Curves of several models, each the mean over images. The key says what they are over:
//
//   sparsification_<metric>[_exact|_oracle]  metric of the pixels kept; x = share left out, 0 … 1
//   coverage_<what>                          share inside; x = probability of the interval, 0 … 1
//   pit_<what>                               density; x = middle of the bin
//
// <what>: pixels, regions, differences (of members), truth_points, truth_regions,
// truth_differences.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "supn/evaluation/scores/image_scores.hpp"

namespace supn {

struct ModelCurve {
  std::string model;
  std::vector<double> x;
  std::vector<double> y;
};

class CurveSheet {
 public:
  // Images on which a curve is not finite are left out of its mean.
  void add(const std::string& model, const std::vector<ImageCurve>& curves);

  // Returns the keys in order of first use.
  std::vector<std::string> keys() const;
  std::vector<ModelCurve> curves(const std::string& key) const;
  // curve,model,x,y,images
  std::string csv() const;

 private:
  struct Sum {
    std::string key;
    std::string model;
    std::vector<double> values;
    std::size_t images = 0;
  };
  std::vector<Sum> sums_;
};

}  // namespace supn
