// One thread computes, the others wait: answers come one at a time, and what is no longer wanted is
// not begun.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "view/reply.hpp"

namespace supn {

class Worker {
 public:
  struct Task {
    std::string session;  // of the page that asks
    std::string kind;     // a newer one of the same kind takes its place while it waits
    std::function<Reply()> work;
  };
  struct Timed {
    Reply reply;
    double waited_ms = 0.0;
    double worked_ms = 0.0;
  };
  struct Activity {
    std::string kind;  // "" where nothing is done
    double seconds = 0.0;
  };

  // Any thread may call this; it waits for the work done by run(). The reply is 409 where a newer
  // task took its place, or where another page has taken over since; 503 after run() has ended. The
  // kind "open" takes over: it cancels all that waits, and only its session is served from then on.
  Timed call(Task task);

  // Works until `stop`, which is asked some times a second, is true.
  void run(const std::function<bool()>& stop);

  // To be called by the work now and then: throws where its answer is no longer wanted, which call()
  // then says with 409.
  void check() const;

  Activity activity() const;

 private:
  // What is asked of a busy worker that makes its answer useless: the same again, another image,
  // other measurements.
  static bool makes_useless(const std::string& newer, const std::string& busy);

  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Task task;
    Clock::time_point since;
    std::promise<Timed> result;
  };
  void cancel_if(const std::function<bool(const Task&)>& unwanted, const Reply& reply);
  void work_on(Waiting& waiting);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Waiting> queue_;
  std::string session_;
  std::string busy_;  // kind
  Clock::time_point busy_since_;
  std::atomic<bool> is_useless_ = false;  // what is being done
  bool is_over_ = false;
};

}  // namespace supn
