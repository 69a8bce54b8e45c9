// Writes a road world (road.hpp) as a data set with an ensemble, in KITTI's raw layout
// (kitti.hpp); <drive> is 2000_01_01/2000_01_01_drive_000d_sync, d = 1 train, 2 val, 3 test.
//
//   <out>/<drive>/image_02/data/%010d.png                    images
//   <out>/<drive>/proj_depth/groundtruth/image_02/%010d.png  depth (depth_png.hpp)
//   <out>/2000_01_01/calib_cam_to_cam.txt
//   <out>/samples/<frame id>/logit_0.npy    members [S,H,W], drawn from the true Gaussian
//   <out>/truth/<frame id>.safetensors      the true Gaussian, of val and test, float32; of factor:
//                                           mean, log_diagonal [1,1,H,W], off_diagonal [1,12,H,W];
//                                           of kernel: mean, std, range, feature [H,W] and the
//                                           nugget (convolved_field.hpp)
//   <out>/splits/{train,val,test}_files.txt written last
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "supn/data/data_config.hpp"
#include "supn/image_size.hpp"
#include "supn/option_fields.hpp"

namespace supn {

// The form of the members' covariance (road.hpp): a sparse factor, or white noise that a kernel
// smooths.
enum class SyntheticField { kFactor, kKernel };

template <>
struct OptionNames<SyntheticField> {
  static constexpr std::array<std::pair<std::string_view, SyntheticField>, 2> values{
      {{"factor", SyntheticField::kFactor}, {"kernel", SyntheticField::kKernel}}};
};

struct SyntheticSetOptions {
  std::uint64_t seed = 1;
  std::int64_t train = 192;
  std::int64_t val = 16;
  std::int64_t test = 24;
  ImageSize size{96, 320};        // of members' maps and truth
  std::int64_t image_factor = 1;  // images and depth are written this many times larger
  std::int64_t members = 8;
  SyntheticField field = SyntheticField::kFactor;

  std::int64_t images() const { return train + val + test; }
};

struct SyntheticSetReport {
  // Mean log-likelihood of the members under the Gaussian that they were drawn from, nats per pixel
  // and sample, over val and test: the best that a model can reach. Absent without such images, and
  // where the field has no density at this size.
  std::optional<double> log_prob_per_pixel;
};

// Every file is a function of (options, its own name) alone: more images, another thread count or a
// second run change none. on_image is called after each image, one call at a time. Existing files
// of the same names are replaced. Throws IoError where a file cannot be written, c10::Error for
// negative counts, no image at all or sizes that render_road refuses.
SyntheticSetReport write_synthetic_set(const std::filesystem::path& out,
                                       const SyntheticSetOptions& options,
                                       const std::function<void()>& on_image);

// The data section that reads such a set.
DataConfig synthetic_data_config(const std::filesystem::path& out, const ImageSize& size);

}  // namespace supn
