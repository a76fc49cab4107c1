#pragma once

#include <csignal>

namespace scattergate::proxy {

/// TERM, INT, HUP and USR1: what the daemon answers to.
[[nodiscard]] inline sigset_t process_signals() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&set, each);
  return set;
}

/// Lets process_signals() wait, for the calling thread and those that it starts from then on:
/// once the daemon has ended, a second TERM must not end the process before it has left in good
/// order.
inline void hold_signals_back() noexcept {
  const sigset_t set = process_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

/// Lets them in, on the thread that makes it, as long as it lives.
/// Thread-safety: one thread.
class signals_let_in {
 public:
  signals_let_in() noexcept {
    const sigset_t set = process_signals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  }
  ~signals_let_in() { hold_signals_back(); }
  signals_let_in(const signals_let_in&) = delete;
  signals_let_in& operator=(const signals_let_in&) = delete;
};

}  // namespace scattergate::proxy
