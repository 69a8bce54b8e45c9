// A trained network is exported as TorchScript for programs without this library: Python's
// torch.jit.load, or C++ with LibTorch alone.
//
//   forward(image [B,3,H,W] floating point, RGB in [0,1])
//     -> (mean [B,1,H,W], log_diagonal [B,1,H,W], off_diagonal [B,K,H,W])
//   gaussian(image)                 the same
//   log_prob(image, d [B,S,H,W])    [B,S], nats
//   sample(image, count, seeds)     [B,count,H,W], a seed for each image: those of sample.hpp up to
//                                   rounding; from coarse to fine alone
//   cropped(image)                  its centre, of the largest size that the others take
//
// of the finest scale, in logits of disparity. B is free; in raster order H and W are free as well,
// as check_input_size says, from coarse to fine they are those the network was trained at. Images
// of other sizes, or with values outside [0,1], are refused. The archive also holds supn.json:
// order of the pixels, input size, quantity, temperature and what that was fitted to, and whom
// channel k of off_diagonal couples: offsets (dy, dx) and the neighbourhood's radius in raster
// order, from coarse to fine the classes of pixels in the order of a sample, each with its level,
// first row and column, stride and offsets.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "supn/image_size.hpp"
#include "supn/network/supn_network.hpp"
#include "supn/network/temperature.hpp"

namespace supn {

// Returns the archive's bytes. The network must be on the CPU and in evaluation mode. size: what it
// was trained at. The temperature is applied to the outputs.
std::string torch_script_of(SupnNetworkImpl& network,
                            const ImageSize& size,
                            const AppliedTemperature& temperature = {});

// Returns max |a − b| / max(1, |b|) between what the archive (a) and the network at the temperature
// (b) give for image [B,3,H,W], over the three outputs. Throws c10::Error where the archive does
// not load or run.
double torch_script_difference(const std::string& archive,
                               SupnNetworkImpl& network,
                               const at::Tensor& image,
                               double temperature = 1.0);

// Compares likewise log_prob and, from coarse to fine, two samples of each image, of the library's
// seeds.
double torch_script_method_difference(const std::string& archive,
                                      SupnNetworkImpl& network,
                                      const at::Tensor& image,
                                      double temperature = 1.0);

}  // namespace supn
