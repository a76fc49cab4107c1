#pragma once

#include <csignal>

namespace scattergate::telemetry {

/// Blocks all signals in the calling thread, so that other threads handle them. For threads
/// that only write files: with SIGPIPE blocked, a write() to a closed pipe returns EPIPE
/// instead of ending the process.
inline void block_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace scattergate::telemetry
