#pragma once

#include <chrono>
#include <ctime>

#include "proxy/judging/judging_memory.hpp"

namespace scattergate::proxy {

/// What this thread has computed: it may be kept waiting in between.
[[nodiscard]] inline std::chrono::nanoseconds computed() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

/// Something to be done for a large message that takes long, and knows nothing but the message:
/// a long_work_thread does it while the worker serves others.
/// Thread-safety: one thread at a time.
class long_work {
 public:
  long_work() = default;
  long_work(const long_work&) = delete;
  long_work& operator=(const long_work&) = delete;
  virtual ~long_work() = default;

  /// Does a piece of it, of some 40 ms at most; true once it is over. What is made of the
  /// message may then be in `memory` until that is lent to another.
  [[nodiscard]] virtual bool advance(judging_memory& memory) noexcept = 0;
};

}  // namespace scattergate::proxy
