#pragma once

#include <csignal>

#include <unistd.h>

namespace scattergate::proxy {

/// The signals that the daemon handles: TERM, INT, HUP and USR1.
[[nodiscard]] inline sigset_t process_signals() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&set, each);
  return set;
}

/// Sets up the signals for the time before the daemon installs its own handlers. TERM and INT
/// end the process at once with status 0; they need handlers, because PID 1 of a container
/// ignores signals without a handler. HUP and USR1 are blocked, and stay pending.
inline void end_by_signal_while_starting() noexcept {
  for (const int each : {SIGTERM, SIGINT}) std::signal(each, [](int) { ::_exit(0); });
  sigset_t others;
  sigemptyset(&others);
  for (const int each : {SIGHUP, SIGUSR1}) sigaddset(&others, each);
  pthread_sigmask(SIG_BLOCK, &others, nullptr);
}

/// Blocks process_signals() in the calling thread and in threads that this thread starts
/// later. So a second TERM after the daemon has ended can't kill the process before a clean
/// exit.
inline void block_process_signals() noexcept {
  const sigset_t set = process_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

/// Unblocks process_signals() in the constructing thread for this object's lifetime.
class signals_unblocked {
 public:
  signals_unblocked() noexcept {
    const sigset_t set = process_signals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  }
  ~signals_unblocked() { block_process_signals(); }
  signals_unblocked(const signals_unblocked&) = delete;
  signals_unblocked& operator=(const signals_unblocked&) = delete;
};

}  // namespace scattergate::proxy
