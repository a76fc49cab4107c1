#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/system/result.hpp>
#include <signal.h>
#include <sys/types.h>

namespace scattergate::app {

/// A child process that runs the command with this process's standard streams, in its own
/// process group. That group gets the terminal if this one had it. TERM, INT and HUP that this
/// process receives are forwarded to it.
class gate_child {
 public:
  /// Blocks the signals that wait() waits for, on this thread and those that it starts.
  /// REQUIRES: no other thread exists yet.
  gate_child();
  ~gate_child();
  gate_child(const gate_child&) = delete;
  gate_child& operator=(const gate_child&) = delete;

  /// Starts the command, with this process's environment and the variables in `changed`. Fails
  /// with the system's error.
  [[nodiscard]] boost::system::result<void> start(
      const std::vector<std::string>& command,
      const std::map<std::string, std::string>& changed);

  /// The exit status that shells use for a command that can't be run: 127 if it doesn't exist,
  /// otherwise 126.
  [[nodiscard]] static int status_of(const boost::system::error_code& not_started) noexcept;

  /// Waits for the command to end and returns its status as shells do: 128 plus the signal if
  /// one killed it.
  [[nodiscard]] int wait();

 private:
  void follow_a_stop();
  void take_terminal_back() const;

  // Descriptors inherited from our parent: the child inherits them too.
  std::set<int> open_before_;
  sigset_t before_{};
  pid_t id_ = 0;
  bool has_terminal_ = false;
};

}  // namespace scattergate::app
