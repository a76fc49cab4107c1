#pragma once

#include <chrono>
#include <ctime>

#include "proxy/judging/judging_memory.hpp"

namespace scattergate::proxy {

/// The CPU time that the calling thread has used since it started.
[[nodiscard]] inline std::chrono::nanoseconds computed() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

/// A long computation on one large message. A long_work_thread runs it in pieces, while the
/// worker serves other connections. Thread-safety: one thread at a time.
class long_work {
 public:
  long_work() = default;
  long_work(const long_work&) = delete;
  long_work& operator=(const long_work&) = delete;
  virtual ~long_work() = default;

  /// Does one piece of the work, in 40 ms at most. Returns true once the work has completed.
  /// The work's result may point into `memory`, and is valid until the next piece of any work
  /// uses `memory`.
  [[nodiscard]] virtual bool advance(judging_memory& memory) noexcept = 0;
};

}  // namespace scattergate::proxy
