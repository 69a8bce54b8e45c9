#include "class_layout.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "supn/gaussian/class_view.hpp"

namespace supn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// work(the class's pixels of the image [B,C,H,W], its maps), for every class with any pixel.
template <class Work>
void for_each_class(const at::Tensor& image,
                    const std::vector<at::Tensor>& maps,
                    const Neighbourhood& neighbourhood,
                    const Work& work) {
  const ImageSize size{image.size(2), image.size(3)};
  const std::int64_t channels = image.size(1);
  // An image of this side has pixels of every class, in the order of the maps.
  const std::int64_t side = std::int64_t{4} << neighbourhood.coarse_to_fine().levels;
  std::vector<std::int64_t> finished(maps.size(), 0);
  for (const PixelClass& pixels : neighbourhood.classes({side, side})) {
    const auto level = static_cast<std::size_t>(pixels.level);
    const std::int64_t first = channels * finished[level]++;
    if (pixels.row >= size.height || pixels.column >= size.width) continue;
    work(class_view(pixels, image),
         maps[level]
             .narrow(1, first, channels)
             .slice(2, 0, pixels.rows(size))
             .slice(3, 0, pixels.columns(size)));
  }
}

// Does without the batch size, which tracing (torch_script.cpp) would take for a constant.
at::Tensor assembled(const std::vector<at::Tensor>& maps,
                     const Neighbourhood& neighbourhood,
                     const at::Tensor& image) {
  const std::int64_t channels = maps.back().size(1);
  const at::Tensor result = image.repeat({1, channels, 1, 1});
  for_each_class(result, maps, neighbourhood, [](at::Tensor pixels, const at::Tensor& map) {
    pixels.copy_(map);
  });
  return result;
}

// One tensor of all maps, as a function of autograd takes it, and its parts again.
struct MapShapes {
  std::vector<std::vector<std::int64_t>> each;

  at::Tensor joined(const std::vector<at::Tensor>& maps) const {
    std::vector<at::Tensor> flat;
    for (const at::Tensor& map : maps) flat.push_back(map.flatten(1));
    return at::cat(flat, 1);
  }

  std::vector<at::Tensor> parts(const at::Tensor& joined) const {
    std::vector<at::Tensor> maps;
    std::int64_t first = 0;
    for (const auto& shape : each) {
      const std::int64_t count = shape[1] * shape[2] * shape[3];
      maps.push_back(joined.narrow(1, first, count).unflatten(1, {shape[1], shape[2], shape[3]}));
      first += count;
    }
    return maps;
  }
};

struct Assembly : public Function<Assembly> {
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& joined,
                            const at::Tensor& image,
                            const Neighbourhood& neighbourhood,
                            const MapShapes& shapes) {
    context->saved_data["order"] = neighbourhood.numbers();
    std::vector<std::int64_t> sizes;
    for (const auto& shape : shapes.each) sizes.insert(sizes.end(), shape.begin(), shape.end());
    context->saved_data["sizes"] = sizes;
    return assembled(shapes.parts(joined), neighbourhood, image);
  }

  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    const std::vector<std::int64_t> sizes = context->saved_data["sizes"].toIntVector();
    MapShapes shapes;
    std::vector<at::Tensor> gradients;
    for (auto size = sizes.begin(); size != sizes.end(); size += 4) {
      shapes.each.emplace_back(size, size + 4);
      gradients.push_back(at::zeros(shapes.each.back(), outer[0].options()));
    }
    for_each_class(outer[0],
                   gradients,
                   Neighbourhood::of_numbers(context->saved_data["order"].toIntVector()),
                   [](const at::Tensor& pixels, at::Tensor map) { map.copy_(pixels); });
    return {shapes.joined(gradients), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor in_image_layout(const std::vector<at::Tensor>& maps,
                           const Neighbourhood& neighbourhood,
                           const at::Tensor& image) {
  const std::int64_t levels = neighbourhood.coarse_to_fine().levels;
  TORCH_CHECK(static_cast<std::int64_t>(maps.size()) == levels + 1,
              "in_image_layout: expected maps of ",
              levels,
              " levels and of the coarsest grid, got ",
              maps.size());
  TORCH_CHECK(neighbourhood.levels({image.size(2), image.size(3)}) == levels,
              "in_image_layout: an image of ",
              image.sizes(),
              " is too small for ",
              levels,
              " levels");
  if (!c10::GradMode::is_enabled()) return assembled(maps, neighbourhood, image);
  MapShapes shapes;
  for (const at::Tensor& map : maps) shapes.each.push_back(map.sizes().vec());
  return Assembly::apply(shapes.joined(maps), image.detach(), neighbourhood, shapes);
}

}  // namespace supn
