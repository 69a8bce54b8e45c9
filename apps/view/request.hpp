// The parts of a request are checked as each is taken: untrusted text becomes numbers within
// bounds, or a BadRequest or JsonError that names the part.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "supn/gaussian/functional.hpp"
#include "supn/image_size.hpp"
#include "supn/serialization/json.hpp"
#include "view/viewed_image.hpp"

namespace supn {

inline constexpr std::size_t kLargestRequest = std::size_t{1} << 20;  // bytes of JSON
inline constexpr std::size_t kMostPoints = 5000;                      // known at once
inline constexpr std::size_t kMostRegions = 16;
inline constexpr std::int64_t kMostSamples = 64;

// A JSON object whose members are all taken: one that is not is a spelling mistake.
class Fields {
 public:
  // Throws unless the text is an object.
  explicit Fields(std::string_view text);
  Fields(const Json& object, std::string place);

  std::int64_t integer(const std::string& key, std::int64_t low, std::int64_t high);
  double number(const std::string& key, double low, double high);
  std::string text(const std::string& key);
  // Takes at most `most` objects.
  std::vector<Fields> objects(const std::string& key, std::size_t most);
  // Call this at the end; it throws BadRequest for a member that nobody took.
  void finish() const;

 private:
  const Json& take(const std::string& key);
  std::string name(const std::string& key) const { return place_ + key; }

  Json object_;
  std::string place_;  // "points[3]." in messages
  std::set<std::string> taken_;
};

// "points": [{"x", "y", "depth"}, …], pixels of the maps; "noise_metres", "noise_relative".
KnownDepths known_depths(Fields& fields, const ImageSize& size);
// "regions": [{"x", "y", "width", "height"}, …], pixels of the maps.
std::vector<PixelBox> pixel_boxes(Fields& fields, const ImageSize& size);

}  // namespace supn
