// The stored Gaussian fixtures (dense float64 algebra): shared/golden, see its README.
#include <filesystem>
#include <fstream>
#include <regex>

#include "gaussian_fixture.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/likelihood.hpp"

namespace supn::test {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(SUPN_SHARED_DIR) / "golden";

// float64, C order.
at::Tensor read_fixture(const std::string& name) {
  std::ifstream file(kFolder / (name + ".npy"), std::ios::binary);
  std::string start(10, '\0');
  file.read(start.data(), 10);
  const auto length =
      static_cast<unsigned char>(start[8]) + 256 * static_cast<unsigned char>(start[9]);
  std::string header(static_cast<std::size_t>(length), '\0');
  file.read(header.data(), length);
  if (!file || header.find("'<f8'") == std::string::npos) {
    throw std::runtime_error("not a float64 fixture: " + name);
  }
  std::vector<std::int64_t> shape;
  const std::string tuple = header.substr(header.find('('));
  const std::regex number("[0-9]+");
  for (std::sregex_iterator i(tuple.begin(), tuple.end(), number), end; i != end; ++i) {
    shape.push_back(std::stoll(i->str()));
  }
  at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(at::kDouble));
  file.read(reinterpret_cast<char*>(tensor.mutable_data_ptr<double>()), tensor.numel() * 8);
  if (!file) throw std::runtime_error("fixture is cut short: " + name);
  return tensor;
}

class GoldenGaussian : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << kFolder << " is not there";
  }
  at::Tensor fixture(const std::string& name) const {
    return read_fixture("g" + std::to_string(GetParam()) + "_" + name);
  }
  // [C,12,17] as a batch of one.
  at::Tensor field(const std::string& name) const { return fixture(name).reshape({1, -1, 12, 17}); }
  StructuredGaussian gaussian() const {
    return {field("mean"), field("phi"), field("psi"), Neighbourhood(GetParam())};
  }
};

TEST_P(GoldenGaussian, LogProb) {
  const at::Tensor expected = fixture("logprob");
  EXPECT_LT(largest_difference(log_prob(gaussian(), field("x"))[0], expected), 1e-10);
}

TEST_P(GoldenGaussian, Whiten) {
  EXPECT_LT(largest_difference(whiten(gaussian(), field("x")), field("whiten")), 1e-10);
}

TEST_P(GoldenGaussian, FactorTimes) {
  const StructuredGaussian g = gaussian();
  const at::Tensor product = factor_times(g, field("x").sub(g.mean()));
  EXPECT_LT(largest_difference(product, field("L_times_d")), 1e-10);
}

TEST_P(GoldenGaussian, Colour) {
  EXPECT_LT(largest_difference(colour(gaussian(), field("eps")), field("sample")), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Radius,
                         GoldenGaussian,
                         testing::Values(1, 2),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace supn::test
