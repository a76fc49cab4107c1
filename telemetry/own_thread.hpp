#pragma once

#include <csignal>

namespace scattergate::telemetry {

/// Blocks all signals in the calling thread, one that only writes files: other threads handle
/// them, and write() to a closed pipe fails with EPIPE.
inline void block_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace scattergate::telemetry
