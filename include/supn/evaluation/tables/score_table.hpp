// The scores of an evaluation by their keys, their columns, and the table of many images.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/scores/image_scores.hpp"
#include "supn/evaluation/tables/table.hpp"

namespace supn {

// Every score, in the order of printing.
std::vector<TableColumn> score_columns();

// By the columns' keys, only those that were measured; "non_finite" only where there are such
// values.
using NamedScore = std::pair<std::string_view, double>;
std::vector<NamedScore> named_scores(const ImageScores& scores);
// The scores of the predicted depth itself as uncertainty, by the keys of every sparsification.
std::vector<NamedScore> distance_scores(const ImageScores& scores);

// Collects one model's scores, image by image.
class ScoreCollector {
 public:
  explicit ScoreCollector(std::string name) : name_(std::move(name)) {}
  void add(const std::vector<NamedScore>& scores);
  // With a warning where the samples' spread is implausible or values were not finite.
  TableRow row(const std::vector<TableColumn>& columns) const;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::map<std::string, std::vector<double>, std::less<>> values_;
};

// What the caption says of the configuration: protocol, crop, scale, samples, uncertainty, AUSE.
std::vector<std::pair<std::string, std::string>> protocol_caption(const EvaluationConfig& config);

}  // namespace supn
