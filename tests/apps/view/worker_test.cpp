#include "view/worker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace supn {
namespace {

// The worker runs in a thread of its own and is held by a first task until release().
class ViewWorker : public testing::Test {
 protected:
  void SetUp() override {
    thread_ = std::thread([this] { worker_.run([this] { return stop_.load(); }); });
    held_ = call("open", "page", [this] {
      started_.set_value();
      gate_.get_future().wait();
      return Reply{.body = "held"};
    });
    started_.get_future().wait();
  }
  void TearDown() override {
    stop_ = true;
    thread_.join();
  }

  std::future<Worker::Timed> call(const std::string& kind,
                                  const std::string& session,
                                  std::function<Reply()> work) {
    return std::async(std::launch::async, [this, kind, session, work = std::move(work)] {
      return worker_.call({session, kind, work});
    });
  }
  void release() { gate_.set_value(); }
  static void let_it_wait() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

  Worker worker_;
  std::atomic<bool> stop_ = false;
  std::promise<void> started_;
  std::promise<void> gate_;
  std::future<Worker::Timed> held_;
  std::thread thread_;
};

TEST_F(ViewWorker, ANewerTaskOfItsKindTakesAWaitingOnesPlace) {
  std::atomic<int> done = 0;
  const auto work = [&] {
    ++done;
    return Reply{};
  };
  auto first = call("field", "page", work);
  let_it_wait();
  auto other = call("samples", "page", work);
  let_it_wait();
  auto second = call("field", "page", work);
  EXPECT_EQ(first.get().reply.status, 409);
  EXPECT_EQ(worker_.activity().kind, "open");
  release();
  EXPECT_EQ(held_.get().reply.body, "held");
  EXPECT_EQ(second.get().reply.status, 200);
  EXPECT_EQ(other.get().reply.status, 200);
  EXPECT_EQ(done, 2);
}

TEST_F(ViewWorker, APageThatOpensTakesOver) {
  auto first = call("field", "page", [] { return Reply{}; });
  let_it_wait();
  auto open = call("open", "new page", [] { return Reply{}; });
  EXPECT_EQ(first.get().reply.status, 409);
  EXPECT_EQ(call("field", "page", [] { return Reply{}; }).get().reply.status, 409);
  release();
  EXPECT_EQ(open.get().reply.status, 200);
  EXPECT_EQ(call("field", "new page", [] { return Reply{}; }).get().reply.status, 200);
}

TEST_F(ViewWorker, WorkStopsOnceANewerRequestMakesItUseless) {
  release();
  held_.wait();
  for (const std::string newer : {"next", "field", "measurements", "open"}) {
    std::promise<void> begun;
    auto next = call("next", "page", [&]() -> Reply {
      begun.set_value();
      for (;;) worker_.check();
    });
    begun.get_future().wait();
    EXPECT_EQ(call(newer, "page", [] { return Reply{}; }).get().reply.status, 200) << newer;
    EXPECT_EQ(next.get().reply.status, 409) << newer;
  }
}

TEST_F(ViewWorker, WorkGoesOnBesideRequestsThatLeaveItOfUse) {
  release();
  held_.wait();
  std::promise<void> begun;
  std::promise<void> asked;
  auto next = call("next", "page", [&] {
    begun.set_value();
    asked.get_future().wait();
    worker_.check();
    return Reply{.body = "pixels"};
  });
  begun.get_future().wait();
  auto correlation = call("correlation", "page", [] { return Reply{}; });
  auto stranger = call("next", "another page", [] { return Reply{}; });
  EXPECT_EQ(stranger.get().reply.status, 409);
  let_it_wait();
  asked.set_value();
  EXPECT_EQ(next.get().reply.body, "pixels");
  EXPECT_EQ(correlation.get().reply.status, 200);
}

TEST_F(ViewWorker, AnExceptionReachesTheCaller) {
  release();
  EXPECT_THROW(call("field", "page", []() -> Reply { throw std::runtime_error("x"); }).get(),
               std::runtime_error);
}

TEST_F(ViewWorker, WhatWaitsWhenItEndsIsToldSo) {
  auto waiting = call("field", "page", [] { return Reply{}; });
  let_it_wait();
  stop_ = true;
  release();
  EXPECT_EQ(waiting.get().reply.status, 503);
  thread_.join();
  EXPECT_EQ(call("field", "page", [] { return Reply{}; }).get().reply.status, 503);
  thread_ = std::thread([] {});
}

}  // namespace
}  // namespace supn
