#pragma once

#include <csignal>

#include <unistd.h>

namespace scattergate::proxy {

/// TERM, INT, HUP and USR1: what the daemon answers to.
[[nodiscard]] inline sigset_t process_signals() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&set, each);
  return set;
}

/// Before anything has been served: TERM and INT end the process at once, with status 0, for it
/// has nothing to bring to an end. As the first process of a container, too, for which the
/// kernel leaves out what would end others. HUP and USR1 wait until somebody answers to them.
inline void end_when_told_while_starting() noexcept {
  for (const int each : {SIGTERM, SIGINT}) std::signal(each, [](int) { ::_exit(0); });
  sigset_t others;
  sigemptyset(&others);
  for (const int each : {SIGHUP, SIGUSR1}) sigaddset(&others, each);
  pthread_sigmask(SIG_BLOCK, &others, nullptr);
}

/// Lets process_signals() wait, for the calling thread and those that it starts from then on:
/// once the daemon has ended, a second TERM must not end the process before it has left in good
/// order.
inline void hold_signals_back() noexcept {
  const sigset_t set = process_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

/// Lets them in, on the thread that makes it, as long as it lives.
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
