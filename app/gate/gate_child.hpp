#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/system/result.hpp>
#include <signal.h>
#include <sys/types.h>

namespace scattergate::app {

/// The child process in which the subcommand `gate` runs the user's command. It has this
/// process's standard streams, and a process group of its own. If this process's group has the
/// terminal, the child's group gets the terminal until the child ends. wait() forwards TERM,
/// INT and HUP to the child's group.
class gate_child {
 public:
  /// Blocks the signals that wait() handles, on the calling thread and on threads started
  /// later. The destructor restores the calling thread's signal mask. REQUIRES: no other
  /// thread exists yet.
  gate_child();
  ~gate_child();
  gate_child(const gate_child&) = delete;
  gate_child& operator=(const gate_child&) = delete;

  /// Starts the command. Its environment is this process's, except that `changed` sets
  /// variables (name to value). On failure, returns the error of posix_spawnp().
  [[nodiscard]] boost::system::result<void> start(
      const std::vector<std::string>& command,
      const std::map<std::string, std::string>& changed);

  /// The exit status that shells use after an error of start(): 127 if the command doesn't
  /// exist, otherwise 126.
  [[nodiscard]] static int status_of(const boost::system::error_code& not_started) noexcept;

  /// Waits for the command to end and returns its exit status. If a signal killed it, returns
  /// 128 plus the signal's number, as shells do. If a user stops the command on the terminal
  /// (Ctrl-Z), this process stops too.
  [[nodiscard]] int wait();

 private:
  void follow_a_stop();
  void take_terminal_back() const;

  // Descriptors that this process has inherited: the child inherits them too.
  std::set<int> open_before_;
  sigset_t before_{};
  pid_t id_ = 0;
  bool has_terminal_ = false;
};

}  // namespace scattergate::app
