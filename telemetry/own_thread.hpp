#pragma once

#include <csignal>

namespace scattergate::telemetry {

/// Blocks all signals in the calling thread. For threads that only write files: other threads
/// handle the signals, and write() to a closed pipe fails with EPIPE.
inline void block_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace scattergate::telemetry
