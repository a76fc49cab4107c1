#pragma once

#include <csignal>

namespace scattergate::telemetry {

/// For a thread that writes files and nothing else: signals are for the other threads, and a
/// closed pipe is an error of write() here.
inline void block_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace scattergate::telemetry
