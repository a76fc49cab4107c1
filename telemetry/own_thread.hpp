#pragma once

#include <csignal>

namespace scattergate::telemetry {

/// For threads that only write files: blocks all signals, so that other threads handle them and
/// write() to a closed pipe fails with EPIPE.
inline void block_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace scattergate::telemetry
