#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/system/result.hpp>
#include <signal.h>
#include <sys/types.h>

namespace scattergate::app {

/// A command that runs with the standard streams of this process, in a process group of its
/// own, which has the terminal where this one had it. TERM, INT and HUP are its business: it
/// gets those that this process gets.
class gate_child {
 public:
  /// Blocks the signals that wait() waits for, on this thread and those that it starts: before
  /// any other thread is there.
  gate_child();
  ~gate_child();
  gate_child(const gate_child&) = delete;
  gate_child& operator=(const gate_child&) = delete;

  /// Starts it, with the environment of this process and what `changed` says instead. An error
  /// is the system's.
  [[nodiscard]] boost::system::result<void> start(
      const std::vector<std::string>& command,
      const std::map<std::string, std::string>& changed);

  /// The status that shells have for what can't be run: 127 where there is none, else 126.
  [[nodiscard]] static int status_of(const boost::system::error_code& not_started) noexcept;

  /// Its status, when it has ended: as shells tell it, 128 and the signal where one killed it.
  [[nodiscard]] int wait();

 private:
  void follow_a_stop();
  void take_terminal_back() const;

  std::set<int> open_before_;  // descriptors of whoever started us: the child's, too
  sigset_t before_{};
  pid_t id_ = 0;
  bool has_terminal_ = false;
};

}  // namespace scattergate::app
