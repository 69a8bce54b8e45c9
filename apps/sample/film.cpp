#include "sample/film.hpp"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <optional>
#include <string>

#include "common/progress.hpp"
#include "inference/map_colours.hpp"
#include "supn/io/contact_sheet.hpp"
#include "supn/io/image.hpp"
#include "supn/io/resize.hpp"
#include "supn/io/video.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

constexpr std::int64_t kPicturesInRow = 3;

struct FilmColours {
  ColourBar values;
  ColourBar spread;
};

at::Tensor map_of(const InputImage& image, const SampleArguments& arguments, const char* name) {
  return read_npy(arguments.out / image.name / name);
}

at::Tensor relative_std(const InputImage& image, const SampleArguments& arguments) {
  return relative_to_depth(map_of(image, arguments, "std.npy"),
                           map_of(image, arguments, "mean.npy"),
                           arguments.draw.output);
}

// Ranges that hold every picture's, so that colours mean the same all along.
FilmColours colours_of(const std::vector<InputImage>& images, const SampleArguments& arguments) {
  const OutputQuantity& output = arguments.draw.output;
  std::optional<FilmColours> colours;
  for (const InputImage& image : images) {
    const FilmColours own{value_bar(map_of(image, arguments, "mean.npy"), output),
                          relative_spread_bar(relative_std(image, arguments), output)};
    if (!colours) colours = own;
    widen(colours->values, own.values);
    widen(colours->spread, own.spread);
  }
  return *colours;
}

at::Tensor picture_of(const InputImage& image,
                      const SampleArguments& arguments,
                      const FilmColours& colours) {
  const at::Tensor mean = map_of(image, arguments, "mean.npy");
  const at::Tensor samples = map_of(image, arguments, "samples.npy");
  const ImageSize size{mean.size(0), mean.size(1)};
  std::vector<Panel> panels{{"image", resize_lanczos(read_rgb(image.path), size), {}},
                            map_panel("mean", mean, colours.values),
                            map_panel("std", relative_std(image, arguments), colours.spread)};
  for (std::int64_t s = 0; s < std::min(kPicturesInRow, samples.size(0)); ++s) {
    panels.push_back(map_panel("sample " + std::to_string(s), samples[s], colours.values));
  }
  return contact_sheet(panels, kPicturesInRow);
}

}  // namespace

void write_film(const std::vector<InputImage>& images, const SampleArguments& arguments) {
  const FilmColours colours = colours_of(images, arguments);
  const at::Tensor first = picture_of(images.front(), arguments, colours);
  VideoFile video(arguments.video, {first.size(0), first.size(1)}, arguments.video_rate);
  Progress progress("film", static_cast<std::int64_t>(images.size()));
  for (const InputImage& image : images) {
    video.add(picture_of(image, arguments, colours));
    progress.advance();
  }
  progress.finish();
  video.commit();
}

}  // namespace supn
