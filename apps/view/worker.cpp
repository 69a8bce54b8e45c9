#include "view/worker.hpp"

#include <utility>

namespace supn {
namespace {

using std::chrono::milliseconds;

constexpr const char* kNewer = "a newer request took the place of this one";

struct Useless {};

double milliseconds_of(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

// The caller holds the mutex.
void Worker::cancel_if(const std::function<bool(const Task&)>& unwanted, const Reply& reply) {
  for (auto waiting = queue_.begin(); waiting != queue_.end();) {
    if (!unwanted(waiting->task)) {
      ++waiting;
      continue;
    }
    waiting->result.set_value({reply});
    waiting = queue_.erase(waiting);
  }
}

Worker::Timed Worker::call(Task task) {
  std::future<Timed> result;
  {
    const std::lock_guard lock(mutex_);
    if (is_over_) return {error_reply(503, "the server is stopping")};
    if (task.kind == "open") {
      session_ = task.session;
      cancel_if([](const Task&) { return true; }, error_reply(409, "another image was opened"));
    } else if (task.session != session_) {
      return {error_reply(409, "another page has taken over; reload this one to take it back")};
    }
    cancel_if([&](const Task& other) { return other.kind == task.kind; }, error_reply(409, kNewer));
    if (makes_useless(task.kind, busy_)) is_useless_ = true;
    queue_.push_back({std::move(task), Clock::now(), {}});
    result = queue_.back().result.get_future();
  }
  changed_.notify_one();
  return result.get();
}

void Worker::run(const std::function<bool()>& stop) {
  constexpr milliseconds kPatience(100);
  while (!stop()) {
    std::list<Waiting> next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kPatience, [&] { return !queue_.empty(); });
      if (queue_.empty()) continue;
      next.splice(next.begin(), queue_, queue_.begin());
      busy_ = next.front().task.kind;
      busy_since_ = Clock::now();
      is_useless_ = false;
    }
    work_on(next.front());
    const std::lock_guard lock(mutex_);
    busy_ = "";
  }
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  cancel_if([](const Task&) { return true; }, error_reply(503, "the server is stopping"));
}

void Worker::work_on(Waiting& waiting) {
  const Clock::time_point start = Clock::now();
  Timed timed;
  try {
    timed.reply = waiting.task.work();
  } catch (const Useless&) {
    timed.reply = error_reply(409, kNewer);
  } catch (...) {
    waiting.result.set_exception(std::current_exception());
    return;
  }
  timed.waited_ms = milliseconds_of(start - waiting.since);
  timed.worked_ms = milliseconds_of(Clock::now() - start);
  waiting.result.set_value(std::move(timed));
}

bool Worker::makes_useless(const std::string& newer, const std::string& busy) {
  if (busy.empty()) return false;
  return newer == busy || newer == "open" || newer == "measurements" ||
         (newer == "field" && busy == "next");
}

void Worker::check() const {
  if (is_useless_) throw Useless();
}

Worker::Activity Worker::activity() const {
  const std::lock_guard lock(mutex_);
  if (busy_.empty()) return {};
  return {busy_, milliseconds_of(Clock::now() - busy_since_) / 1000.0};
}

}  // namespace supn
