// A session answers the requests of the page one at a time: which image is looked at, and what is
// asked of it.
//
//   open          {index}                   → rgb, measured depths, what the page has to know, and
//                                             the colour maps of the other programs' pictures
//   field         {quantity, points, …}     → mean and std of the logits, std in the quantity
//   samples       {first, count, points, …} → logits
//   members       {}                        → logits of the ensemble's members
//   correlation   {x, y, points, …}
//   regions       {regions, points, …}      → numbers alone
//   next          {count, points, …}        → pixels
//   measurements  a file: a list, a depth map or a scan, by ?name=… → pixels and depths,
//                                             which are then what was measured
//
// "…" stands for noise_metres and noise_relative. Places count pixels of the maps.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "inference/gaussian_source.hpp"
#include "view/gallery.hpp"
#include "view/options.hpp"
#include "view/reply.hpp"
#include "view/request.hpp"
#include "view/viewed_image.hpp"

namespace supn {

struct Question {
  std::string route;
  std::string body = {};
  std::string file_name = {};  // of measurements
  // Called by long work now and then; what it throws ends that.
  std::function<void()> check = [] {};
};

// Not for use by several threads at once.
class Session {
 public:
  // Looks at the first image. Throws ConfigError and IoError.
  Session(GaussianSource& source, const Gallery& gallery, const ViewArguments& arguments);

  // A mistake in the question or in the numbers is an error_reply; what was looked at stays.
  Reply answer(const Question& question);

 private:
  using Handler = Reply (Session::*)(const Question&);
  static Handler handler_of(std::string_view route);

  void look_at(std::size_t index);
  std::optional<double> scale_of(const Picture& picture, const StructuredGaussian& gaussian) const;

  Reply open(const Question& question);
  Reply field(const Question& question);
  Reply samples(const Question& question);
  Reply members(const Question& question);
  Reply correlation(const Question& question);
  Reply regions(const Question& question);
  Reply next(const Question& question);
  Reply measurements(const Question& question);

  GaussianSource& source_;
  const Gallery& gallery_;
  const ViewArguments& arguments_;
  std::size_t index_ = 0;
  std::optional<ViewedImage> viewed_;
};

}  // namespace supn
