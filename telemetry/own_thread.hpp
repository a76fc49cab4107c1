#pragma once

#include <csignal>

namespace scattergate::telemetry {

/// Blocks all signals in the calling thread. For threads that only write files: other threads
/// handle the signals, and a write() to a closed pipe returns EPIPE instead of ending the
/// process.
inline void block_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace scattergate::telemetry
