// The scores of every model on every image, and what is made of them: the rows of the table, a line
// per image and model, intervals of the means, and paired differences between models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "supn/evaluation/scores/bootstrap.hpp"
#include "supn/evaluation/tables/score_table.hpp"
#include "supn/evaluation/tables/table.hpp"

namespace supn {

// Of two rows, paired over the images that both have.
struct PairedDifference {
  double mean = 0.0;
  Interval interval;  // 95 %, bootstrap over images
  std::int64_t images = 0;

  bool is_clear() const { return interval.low > 0.0 || interval.high < 0.0; }
  std::string text() const;  // "-0.0123 (-0.0150 to -0.0090)"
};

class ScoreSheet {
 public:
  explicit ScoreSheet(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  // The index of the row of that name, new or not, in order of first use.
  std::size_t row(const std::string& name);
  // What is kept later for an image and row adds to it. Scores without a column are left out.
  void keep(std::size_t row, const std::string& image, const std::vector<NamedScore>& scores);

  const std::vector<TableColumn>& columns() const { return columns_; }
  // With warnings where samples explode or are not finite.
  std::vector<TableRow> rows() const;

  // row − other; nothing where no image has both.
  std::optional<PairedDifference> difference(const std::string& row,
                                             const std::string& other,
                                             const std::string& key) const;

  // image,model,<key>…: an empty field is not measured.
  std::string per_image_csv() const;
  // model,score,mean,low,high,images: 95 % bootstrap intervals over images.
  std::string intervals_csv() const;
  // model,other,score,difference,low,high,images: model − other over the images that both have,
  // with the bootstrap interval of the mean of these differences.
  std::string differences_csv() const;

 private:
  struct Row {
    std::string name;
    std::map<std::string, std::map<std::string, double>> images;  // by image and key
  };
  std::vector<double> values(const Row& row, const std::string& key) const;
  std::vector<double> differences(const Row& row, const Row& other, const std::string& key) const;

  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
  std::vector<std::string> images_;  // in order of first use
};

}  // namespace supn
