// For supn_condition: a Gaussian, measured depths, a split.
#pragma once

#include <ATen/Context.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/tensor.h>

#include <cmath>

#include "apps/gaussian_app_test.hpp"
#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {

inline constexpr double kScale = 5.4;

inline double logit_of(double metres) {
  const double sigmoid = (kScale / metres - 0.01) / 9.99;
  return std::log(sigmoid / (1.0 - sigmoid));
}

class SupnCondition : public GaussianAppTest {
 protected:
  AppRun run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--gaussian", "g.safetensors"});
    return run_app_program("supn_condition", arguments);
  }
  // Depth everywhere, twice as large as the maps, of a field near the Gaussian's mean.
  void write_depth() const {
    const at::Tensor logits = gaussian_.mean()[0][0].to(at::kDouble) + 0.3;
    const at::Tensor metres =
        depth_from_disparity(disparity_from_logit(logits, DepthRange()), kScale);
    write_depth_png(folder_ / "depth.png",
                    metres.repeat_interleave(2, 0).repeat_interleave(2, 1).contiguous());
  }
  // An untrained network, and a split of two images 2 m away and one without ground truth.
  void write_split() const {
    at::manual_seed(3);
    SupnNetwork network(
        NetworkConfig{.backbone = Backbone::kCompact, .off_diagonal = OffDiagonalForm::kFactored});
    save_checkpoint(folder_ / "net", {network, {32, 48}, {}, "", ""});
    const std::string drive = "2011_09_26/2011_09_26_drive_0001_sync";
    for (const std::string frame : {"0000000000", "0000000001"}) {
      const auto root = folder_ / "kitti" / drive;
      std::filesystem::create_directories(root / "image_02/data");
      std::filesystem::create_directories(root / "proj_depth/groundtruth/image_02");
      write_png(root / ("image_02/data/" + frame + ".png"),
                at::arange(32 * 48 * 3).view({32, 48, 3}).remainder(251).to(at::kByte));
      write_depth_png(root / ("proj_depth/groundtruth/image_02/" + frame + ".png"),
                      at::full({32, 48}, 2.0));
    }
    write("test.txt", drive + " 0 l\n" + drive + " 1 l\n" + drive + " 2 l\n");
    write("a.yaml", "data:\n  root: kitti\n  test_split: test.txt\n");
    write_png(folder_ / "kitti" / drive / "image_02/data/0000000002.png",
              at::zeros({32, 48, 3}, at::kByte));
  }
};

}  // namespace supn
