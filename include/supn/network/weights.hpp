// Loading weights into a network by public names (docs/method.md "Parameter names"): the network's
// own names; those of a torchvision ResNet18 (no `encoder.` prefix, `fc.*` ignored); those of files
// whose decoder has a log-scale head beside each logit head (the latter are taken); those of the
// compact members' files. A tensor is taken where name and shape agree; everything else is
// reported.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace supn {

class SupnNetworkImpl;

struct WeightReport {
  std::vector<std::string> loaded;      // names of the network, sorted
  std::vector<std::string> missing;     // of the network, not in the source
  std::vector<std::string> unexpected;  // in the source, not of the network
  std::vector<std::string> mismatched;  // "name: [shape in the source] instead of [shape]"
};

// Values are converted to the network's dtype and device. `num_batches_tracked` may be missing.
WeightReport load_weights(SupnNetworkImpl& network,
                          const std::map<std::string, at::Tensor>& source);

}  // namespace supn
