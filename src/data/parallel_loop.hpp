// Independent work on the frames of a split, in several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace supn {

// Carries out task(0 … count − 1), each once, in threads that begin at once. The destructor waits
// for the tasks in the making and drops the rest.
class ParallelLoop {
 public:
  ParallelLoop(std::int64_t count, std::int64_t threads, std::function<void(std::int64_t)> task)
      : count_(count), task_(std::move(task)) {
    for (std::int64_t i = 0; i < std::clamp<std::int64_t>(threads, 1, count); ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  }

  // Calls on_done in this thread after each task, in no particular order of the tasks. Throws what
  // a task or on_done threw.
  void wait(const std::function<void()>& on_done) {
    for (std::int64_t told = 0; told < count_; ++told) {
      {
        std::unique_lock lock(mutex_);
        task_done_.wait(lock, [&] { return done_ > told; });
        if (failure_) std::rethrow_exception(failure_);
      }
      on_done();
    }
  }

 private:
  void work(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::int64_t index = next_++;
      if (index >= count_) return;
      std::exception_ptr failure;
      try {
        task_(index);
      } catch (...) {
        failure = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        ++done_;
        if (failure) failure_ = failure;
      }
      task_done_.notify_one();
    }
  }

  std::int64_t count_;
  std::function<void(std::int64_t)> task_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable task_done_;
  std::int64_t done_ = 0;              // guarded by mutex_
  std::exception_ptr failure_;         // guarded by mutex_
  std::vector<std::jthread> threads_;  // last, so that they end before what they use
};

}  // namespace supn
