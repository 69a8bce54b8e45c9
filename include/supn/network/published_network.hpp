// Public depth networks come as an encoder's and a decoder's state dict, with the names in use for
// self-supervised depth (docs/method.md "Parameter names"). Two kinds are known: ResNet18 with a
// U-Net decoder, with or without a log-scale head beside each logit head, and the compact network.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

#include "supn/image_size.hpp"
#include "supn/network/member_network.hpp"

namespace supn {

struct PublishedNetwork {
  MemberConfig config;
  ImageSize size;  // that it was trained at; 0 where the file does not say
  // The names are those of a member's file; it holds what is needed, nothing else (no classifier,
  // no log-scale heads of coarser scales).
  std::map<std::string, at::Tensor> tensors;
};

// Reads files of torch.save (.pth, .pt) or safetensors. Names may lack the prefix "encoder." and
// may lie below "module.", "state_dict.", "model_state_dict.", "model." or "network.";
// num_batches_tracked may be missing. Throws IoError naming the file and the tensor that is
// missing, of another shape or not finite, or saying that the architecture is unknown.
PublishedNetwork read_published_network(const std::filesystem::path& encoder,
                                        const std::filesystem::path& decoder);

}  // namespace supn
