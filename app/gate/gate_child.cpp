#include "app/gate/gate_child.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scattergate::app {
namespace {

/// The signals that are forwarded to the child.
sigset_t forwarded() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, each);
  return set;
}

sigset_t awaited() {
  sigset_t set = forwarded();
  sigaddset(&set, SIGCHLD);
  return set;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& one : texts) pointers.push_back(one.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& changed) {
  std::vector<std::string> made;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string one = *each;
    if (!changed.contains(one.substr(0, one.find('=')))) made.push_back(one);
  }
  for (const auto& [name, value] : changed) made.push_back(name + "=" + value);
  return made;
}

std::set<int> open_descriptors() {
  std::set<int> numbers;
  std::error_code error;
  for (const auto& one : std::filesystem::directory_iterator{"/proc/self/fd", error}) {
    int number = 0;
    const std::string name = one.path().filename();
    std::from_chars(name.data(), name.data() + name.size(), number);
    numbers.insert(number);
  }
  // The iterator's own descriptor is closed by now.
  std::erase_if(numbers, [](int one) { return ::fcntl(one, F_GETFD) == -1; });
  return numbers;
}

/// The attributes that start the child in a process group of its own, without the signals that
/// this process blocks or ignores.
class spawn_attributes {
 public:
  explicit spawn_attributes(const sigset_t& mask) {
    posix_spawnattr_init(&is_);
    posix_spawnattr_setpgroup(&is_, 0);
    posix_spawnattr_setsigmask(&is_, &mask);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&is_, &defaults);
    constexpr int flags =
        POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawnattr_setflags(&is_, static_cast<short>(flags));
  }
  ~spawn_attributes() { posix_spawnattr_destroy(&is_); }
  spawn_attributes(const spawn_attributes&) = delete;
  spawn_attributes& operator=(const spawn_attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &is_; }

 private:
  posix_spawnattr_t is_;
};

int shell_status(int status) {
  constexpr int killed = 128;
  return WIFSIGNALED(status) ? killed + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

gate_child::gate_child() : open_before_(open_descriptors()) {
  const sigset_t set = awaited();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

gate_child::~gate_child() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

boost::system::result<void> gate_child::start(
    const std::vector<std::string>& command,
    const std::map<std::string, std::string>& changed) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(changed);
  for (const int one : open_descriptors()) {
    if (!open_before_.contains(one)) ::fcntl(one, F_SETFD, FD_CLOEXEC);
  }
  const spawn_attributes how{before_};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  has_terminal_ = ::isatty(STDIN_FILENO) == 1 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  if (has_terminal_) posix_spawn_file_actions_addtcsetpgrp_np(&actions, STDIN_FILENO);
  const int error =
      ::posix_spawnp(&id_, arguments.front().c_str(), &actions, how.get(),
                     pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return {};
  take_terminal_back();
  return boost::system::error_code{error, boost::system::generic_category()};
}

int gate_child::status_of(const boost::system::error_code& not_started) noexcept {
  return not_started == boost::system::errc::no_such_file_or_directory ? 127 : 126;
}

int gate_child::wait() {
  const sigset_t set = awaited();
  for (;;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    if (signal != SIGCHLD) {
      ::kill(-id_, signal);
      continue;
    }
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG | WUNTRACED) != id_) continue;
    if (WIFSTOPPED(status)) {
      follow_a_stop();
      continue;
    }
    take_terminal_back();
    return shell_status(status);
  }
}

/// If a user stops the command on a terminal, this process stops too: the shell then shows its
/// prompt, and can continue both.
void gate_child::follow_a_stop() {
  if (!has_terminal_) return;
  take_terminal_back();
  std::raise(SIGSTOP);
  ::tcsetpgrp(STDIN_FILENO, id_);
  ::kill(-id_, SIGCONT);
}

void gate_child::take_terminal_back() const {
  if (!has_terminal_) return;
  sigset_t output;
  sigset_t mask;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &output, &mask);
  ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

}  // namespace scattergate::app
