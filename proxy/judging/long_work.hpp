#pragma once

#include <chrono>
#include <ctime>

#include "proxy/judging/judging_memory.hpp"

namespace scattergate::proxy {

/// The CPU time used by this thread; excludes time in which it wasn't scheduled.
[[nodiscard]] inline std::chrono::nanoseconds computed() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

/// A long computation on a large message that needs nothing else. A long_work_thread runs it
/// while the worker serves others. Thread-safety: one thread at a time.
class long_work {
 public:
  long_work() = default;
  long_work(const long_work&) = delete;
  long_work& operator=(const long_work&) = delete;
  virtual ~long_work() = default;

  /// Does a piece of the work, of some 40 ms at most; true once all is done. The result may be
  /// in `memory` until that is used for something else.
  [[nodiscard]] virtual bool advance(judging_memory& memory) noexcept = 0;
};

}  // namespace scattergate::proxy
