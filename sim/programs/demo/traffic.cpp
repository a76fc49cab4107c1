#include "sim/programs/demo/traffic.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include <unistd.h>

namespace scattergate::sim::demo {
namespace {

using clock = std::chrono::steady_clock;

/// One thread's share of an application's requests.
struct shift {
  const application* as;
  unsigned part;           ///< below as->threads
  std::uint64_t requests;  ///< of this thread
  std::uint64_t seed;
};

/// Every `threads`-th document, so that no two threads push to the same one.
std::vector<edited_document> documents_of(const shift& mine, const dataset& data) {
  std::vector<edited_document> out;
  for (std::size_t i = mine.part; i < data.documents.size(); i += mine.as->threads) {
    out.push_back({data.documents[i], 0});
  }
  return out;
}

std::size_t sum_of_weights(const application& of) {
  std::size_t sum = 0;
  for (const action& each : of.actions) sum += each.weight;
  return sum;
}

/// The action selected by `at`, if each action occupies as many numbers as its weight.
/// REQUIRES: at < sum_of_weights(of).
const action& action_at(const application& of, std::size_t at) {
  std::size_t i = 0;
  while (at >= of.actions[i].weight) at -= of.actions[i++].weight;
  return of.actions[i];
}

std::vector<shift> shifts_of(const std::array<application, 3>& applications, const plan& plan) {
  std::vector<shift> out;
  for (const application& as : applications) {
    const std::uint64_t all = plan.requests * as.percent / 100;
    for (unsigned part = 0; part < as.threads; ++part) {
      const std::uint64_t rest = part < all % as.threads ? 1 : 0;
      // Distant seeds, none of them the data's.
      constexpr std::uint64_t stride = 1'000'003;
      out.push_back(
          {&as, part, all / as.threads + rest, plan.seed + (out.size() + 1) * stride});
    }
  }
  return out;
}

/// The running threads and their shared state. Thread-safety: work() on any thread; wait() on
/// the creating thread.
class crew {
 public:
  crew(const plan& plan, const dataset& data, std::size_t threads)
      : plan_(plan), data_(data), end_(clock::now() + plan.at_most), running_(threads) {}

  /// Runs one share to its end, or to the first failure of any thread.
  void work(const shift& mine) {
    tally sent;
    std::string failure;
    try {
      caller by{client{plan_.uri, mine.as->name, database_name}, data_, dice{mine.seed},
                documents_of(mine, data_)};
      failure = send(mine, by);
      sent = by.mongos.sent();
    } catch (const driver_error& problem) {
      failure = problem.what();
    }
    leave(sent, failure);
  }

  /// Waits until all threads have ended.
  outcome wait(const std::function<void(std::uint64_t)>& report) {
    constexpr std::chrono::milliseconds interval{200};
    std::unique_lock lock{mutex_};
    while (!ended_.wait_for(lock, interval, [this] { return running_ == 0; })) {
      report(done_.load());
    }
    result_.requests = done_.load();
    return result_;
  }

 private:
  /// The failure, or empty. What was sent before a failure counts, too.
  std::string send(const shift& mine, caller& by) {
    const std::size_t weights = sum_of_weights(*mine.as);
    try {
      for (std::uint64_t i = 0; i < mine.requests && !stopped_ && clock::now() < end_; ++i) {
        action_at(*mine.as, by.choose.below(weights)).run(by);
        ++done_;
      }
    } catch (const driver_error& problem) {
      return problem.what();
    }
    return {};
  }

  void leave(const tally& sent, const std::string& failure) {
    if (!failure.empty()) stopped_ = true;
    const std::lock_guard lock{mutex_};
    result_.sent.merge(sent);
    if (result_.failure.empty()) result_.failure = failure;
    --running_;
    ended_.notify_one();
  }

  const plan& plan_;
  const dataset& data_;
  const clock::time_point end_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_;  // this and the following members are guarded by the mutex
  outcome result_;
};

}  // namespace

progress::progress(std::uint64_t total)
    : total_(std::max<std::uint64_t>(total, 1)),
      is_terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {}

void progress::show(std::uint64_t done) {
  if (is_terminal_) {
    print(done, "");
  } else if (done * 10 / total_ >= next_tenth_) {
    next_tenth_ = done * 10 / total_ + 1;
    print(done, "\n");
  }
}

void progress::finish(std::uint64_t done) {
  print(done, "\n");
}

void progress::print(std::uint64_t done, const char* end) const {
  constexpr std::uint64_t width = 30;
  const std::uint64_t filled = std::min(done, total_) * width / total_;
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start_;
  std::fprintf(stderr, "%s  [%s] %" PRIu64 " of %" PRIu64 " requests, %.1f s%s",
               is_terminal_ ? "\r" : "", bar.c_str(), done, total_, since.count(), end);
  std::fflush(stderr);
}

outcome send_traffic(const plan& plan, const dataset& data,
                     const std::function<void(std::uint64_t)>& report) {
  const std::array applications{api_servers(), dashboard(), housekeeping()};
  const auto shifts = shifts_of(applications, plan);
  crew crew{plan, data, shifts.size()};
  std::vector<std::jthread> threads;
  for (const shift& each : shifts) {
    threads.emplace_back([&crew, &each] { crew.work(each); });
  }
  return crew.wait(report);
}

}  // namespace scattergate::sim::demo
