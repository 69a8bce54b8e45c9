#include "supn/evaluation/tables/score_sheet.hpp"

#include <algorithm>

#include "evaluation/tables/table_format.hpp"
#include "supn/evaluation/tables/score_table.hpp"

namespace supn {
namespace {

using table_format::short_number;

// mean,low,high,images of many lists of values, with the same resamples for each number of images.
class IntervalWriter {
 public:
  std::string fields(const std::vector<double>& values) {
    const auto [plan, is_new] =
        plans_.try_emplace(values.size(), values.size(), BootstrapOptions());
    const Interval interval = plan->second.interval(values);
    return short_number(summarise(values).mean) + "," + short_number(interval.low) + "," +
           short_number(interval.high) + "," + std::to_string(values.size());
  }

 private:
  std::map<std::size_t, Bootstrap> plans_;
};

}  // namespace

std::string PairedDifference::text() const {
  using table_format::fixed_number;
  return fixed_number(mean, 4) + " (" + fixed_number(interval.low, 4) + " to " +
         fixed_number(interval.high, 4) + ")";
}

std::size_t ScoreSheet::row(const std::string& name) {
  const auto found =
      std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.name == name; });
  if (found != rows_.end()) return static_cast<std::size_t>(found - rows_.begin());
  rows_.push_back({name, {}});
  return rows_.size() - 1;
}

void ScoreSheet::keep(std::size_t row,
                      const std::string& image,
                      const std::vector<NamedScore>& scores) {
  if (std::find(images_.begin(), images_.end(), image) == images_.end()) images_.push_back(image);
  std::map<std::string, double>& kept = rows_.at(row).images[image];
  for (const auto& [key, value] : scores) kept[std::string(key)] = value;
}

std::vector<double> ScoreSheet::values(const Row& row, const std::string& key) const {
  std::vector<double> result;
  for (const std::string& image : images_) {
    const auto scores = row.images.find(image);
    if (scores == row.images.end()) continue;
    const auto value = scores->second.find(key);
    if (value != scores->second.end()) result.push_back(value->second);
  }
  return result;
}

std::vector<double> ScoreSheet::differences(const Row& row,
                                            const Row& other,
                                            const std::string& key) const {
  std::vector<double> result;
  for (const std::string& image : images_) {
    const auto first = row.images.find(image);
    const auto second = other.images.find(image);
    if (first == row.images.end() || second == other.images.end()) continue;
    const auto a = first->second.find(key);
    const auto b = second->second.find(key);
    if (a == first->second.end() || b == second->second.end()) continue;
    result.push_back(a->second - b->second);
  }
  return result;
}

std::optional<PairedDifference> ScoreSheet::difference(const std::string& row,
                                                       const std::string& other,
                                                       const std::string& key) const {
  const auto named = [&](const std::string& name) {
    return std::ranges::find_if(rows_,
                                [&](const Row& candidate) { return candidate.name == name; });
  };
  const auto first = named(row);
  const auto second = named(other);
  if (first == rows_.end() || second == rows_.end()) return std::nullopt;
  const std::vector<double> all = differences(*first, *second, key);
  if (all.empty()) return std::nullopt;
  return PairedDifference{.mean = summarise(all).mean,
                          .interval = Bootstrap(all.size(), BootstrapOptions()).interval(all),
                          .images = std::ssize(all)};
}

std::vector<TableRow> ScoreSheet::rows() const {
  std::vector<TableRow> result;
  for (const Row& row : rows_) {
    ScoreCollector collector(row.name);
    for (const std::string& image : images_) {
      const auto scores = row.images.find(image);
      if (scores == row.images.end()) continue;
      collector.add(std::vector<NamedScore>(scores->second.begin(), scores->second.end()));
    }
    result.push_back(collector.row(columns_));
  }
  return result;
}

std::string ScoreSheet::per_image_csv() const {
  std::string text = "image,model";
  for (const TableColumn& column : columns_) text += "," + csv_field(column.key);
  text += "\n";
  for (const std::string& image : images_) {
    for (const Row& row : rows_) {
      const auto scores = row.images.find(image);
      if (scores == row.images.end()) continue;
      text += csv_field(image) + "," + csv_field(row.name);
      for (const TableColumn& column : columns_) {
        const auto value = scores->second.find(column.key);
        text += value == scores->second.end() ? "," : "," + short_number(value->second);
      }
      text += "\n";
    }
  }
  return text;
}

std::string ScoreSheet::intervals_csv() const {
  IntervalWriter writer;
  std::string text = "model,score,mean,low,high,images\n";
  for (const Row& row : rows_) {
    for (const TableColumn& column : columns_) {
      const std::vector<double> all = values(row, column.key);
      if (all.empty()) continue;
      text += csv_field(row.name) + "," + column.key + "," + writer.fields(all) + "\n";
    }
  }
  return text;
}

std::string ScoreSheet::differences_csv() const {
  IntervalWriter writer;
  std::string text = "model,other,score,difference,low,high,images\n";
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t j = i + 1; j < rows_.size(); ++j) {
      for (const TableColumn& column : columns_) {
        const std::vector<double> all = differences(rows_[i], rows_[j], column.key);
        if (all.empty()) continue;
        text += csv_field(rows_[i].name) + "," + csv_field(rows_[j].name) + "," + column.key + "," +
                writer.fields(all) + "\n";
      }
    }
  }
  return text;
}

}  // namespace supn
