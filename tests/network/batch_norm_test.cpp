#include "supn/network/batch_norm.hpp"

#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "network/sum_exchange.hpp"

namespace supn {
namespace {

struct Result {
  at::Tensor y;
  at::Tensor of_x;
  at::Tensor of_weight;
  at::Tensor of_bias;
  at::Tensor running_mean;
  at::Tensor running_var;
};

Result through(SynchronizedBatchNorm2d norm, const at::Tensor& image, const at::Tensor& outer) {
  at::Tensor x = image.clone().set_requires_grad(true);
  const at::Tensor y = norm->forward(x);
  (y * outer).sum().backward();
  return {y.detach(),
          x.grad(),
          norm->weight.grad(),
          norm->bias.grad(),
          norm->running_mean,
          norm->running_var};
}

SynchronizedBatchNorm2d made(at::ScalarType dtype) {
  SynchronizedBatchNorm2d norm(3);
  at::manual_seed(1);
  norm->weight.data().copy_(at::rand({3}) + 0.5);
  norm->bias.data().copy_(at::randn({3}));
  norm->to(dtype);
  return norm;
}

TEST(SynchronizedBatchNorm, PartsOfABatchGiveWhatTheWholeGives) {
  for (const auto& [dtype, tolerance] : {std::pair{at::kDouble, 1e-10}, {at::kFloat, 2e-4}}) {
    const at::Tensor x = at::randn({5, 3, 6, 7}, dtype) * 2.0 + 3.0;
    const at::Tensor outer = at::randn({5, 3, 6, 7}, dtype);
    const Result whole = through(made(dtype), x, outer);
    SumExchange exchange;
    std::array<SynchronizedBatchNorm2d, SumExchange::kProcesses> norms{made(dtype), made(dtype)};
    std::array<Result, SumExchange::kProcesses> parts;
    {
      std::vector<std::jthread> processes;
      for (std::size_t i = 0; i < SumExchange::kProcesses; ++i) {
        synchronize_batch_norm(*norms[i], exchange.of(i));
        processes.emplace_back([&, i] {
          const auto first = static_cast<std::int64_t>(2 * i);  // 2 images and 3
          const auto count = static_cast<std::int64_t>(2 + i);
          parts[i] = through(norms[i], x.narrow(0, first, count), outer.narrow(0, first, count));
        });
      }
    }

    const auto same = [tolerance = tolerance](const at::Tensor& a, const at::Tensor& b) {
      return at::allclose(a, b, tolerance, tolerance);
    };
    EXPECT_TRUE(same(at::cat({parts[0].y, parts[1].y}), whole.y));
    EXPECT_TRUE(same(at::cat({parts[0].of_x, parts[1].of_x}), whole.of_x));
    EXPECT_TRUE(same(parts[0].of_weight + parts[1].of_weight, whole.of_weight));
    EXPECT_TRUE(same(parts[0].of_bias + parts[1].of_bias, whole.of_bias));
    for (const Result& part : parts) {
      EXPECT_TRUE(same(part.running_mean, whole.running_mean));
      EXPECT_TRUE(same(part.running_var, whole.running_var));
    }
    EXPECT_EQ(exchange.calls(0), 3);
  }
}

TEST(SynchronizedBatchNorm, SumsNothingInEvaluation) {
  SynchronizedBatchNorm2d norm = made(at::kFloat);
  int sums = 0;
  synchronize_batch_norm(*norm, [&](at::Tensor&) { ++sums; });
  norm->eval();
  const at::Tensor x = at::randn({2, 3, 4, 4});

  const at::Tensor y = norm->forward(x);

  EXPECT_EQ(sums, 0);
  EXPECT_FALSE(at::equal(y, made(at::kFloat)->forward(x)));
  norm->train();
  norm->forward(x);
  EXPECT_EQ(sums, 2);
}

}  // namespace
}  // namespace supn
