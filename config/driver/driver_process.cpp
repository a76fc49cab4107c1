#include "config/driver/driver_process.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/driver/driver_server.hpp"
#include "wire/endian.hpp"

namespace scattergate::config {
namespace {

using clock = driver_process::clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// The name under which a driver process runs, and which tells it apart.
constexpr const char* process_name = "scattergate-driver";

/// How often a waiting call looks whether it must stop.
constexpr milliseconds look_every{50};
/// How long a process may take to end its sessions on the server.
constexpr milliseconds farewell{500};
/// How long a process that ended or was killed may take until the system reports its end.
constexpr milliseconds burial{1'000};

/// After a second failure in a row, a new process waits for this long; doubled each time.
constexpr seconds first_rest{1};
constexpr seconds longest_rest{10};

/// Whether serve_driver_if_asked() has run. Without it, a child would run the whole program.
std::atomic<bool> may_start{false};

/// What is known of all driver processes of this program.
struct driver_record {
  struct failures {
    unsigned in_a_row = 0;
    clock::time_point not_before;  // when the next process may start
    std::string why;               // of the last one
  };
  std::mutex mutex;
  std::shared_ptr<const driver_events> events = std::make_shared<driver_events>();
  std::map<std::string, failures, std::less<>> failed;  // by application
};

driver_record& record() {
  static driver_record made;
  return made;
}

std::shared_ptr<const driver_events> events_now() {
  const std::lock_guard lock{record().mutex};
  return record().events;
}

void note_failure(const std::string& application, driver_end how, const std::string& why) {
  {
    const std::lock_guard lock{record().mutex};
    auto& of = record().failed[application];
    const unsigned doublings = std::min(of.in_a_row, 5U);
    const auto rest = std::min(longest_rest, first_rest * (1U << doublings) / 2);
    of = {of.in_a_row + 1, clock::now() + (of.in_a_row == 0 ? seconds{0} : rest), why};
  }
  const auto events = events_now();
  if (events->on_failure) events->on_failure(application, how, why);
}

void note_success(const std::string& application) {
  {
    const std::lock_guard lock{record().mutex};
    if (record().failed.erase(application) == 0) return;
  }
  const auto events = events_now();
  if (events->on_recovery) events->on_recovery(application);
}

/// Why no process may start yet; std::nullopt if one may.
std::optional<std::string> reason_to_rest(const std::string& application) {
  const std::lock_guard lock{record().mutex};
  const auto found = record().failed.find(application);
  if (found == record().failed.end()) return std::nullopt;
  const auto left = found->second.not_before - clock::now();
  if (left <= clock::duration{0}) return std::nullopt;
  return found->second.why + "; it starts again within " +
         std::to_string(std::chrono::ceil<seconds>(left).count()) + " s";
}

std::string error_text(int number) {
  return std::generic_category().message(number);
}

/// This program's environment without scattergate's own settings, which may be secrets.
std::vector<char*> environment() {
  std::vector<char*> made;
  for (char** each = environ; *each != nullptr; ++each) {
    if (!std::string_view{*each}.starts_with("SCATTERGATE_")) made.push_back(*each);
  }
  made.push_back(nullptr);
  return made;
}

/// How to start a driver process: the socket as driver_socket, no other open descriptor, and no
/// signal of the terminal.
class driver_spawn {
 public:
  explicit driver_spawn(int socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, socket, driver_socket);
    // Not this process's standard error: what libbson prints before it aborts isn't a line of
    // the log.
    for (int each = STDIN_FILENO; each <= STDERR_FILENO; ++each) {
      posix_spawn_file_actions_addopen(&actions_, each, "/dev/null", O_RDWR, 0);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions_, driver_socket + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    constexpr int flags =
        POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  ~driver_spawn() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  driver_spawn(const driver_spawn&) = delete;
  driver_spawn& operator=(const driver_spawn&) = delete;

  /// Starts the process. Returns an errno; 0: started.
  [[nodiscard]] int run(pid_t& id, std::string application) const {
    std::string name = process_name;
    const std::array<char*, 3> arguments{name.data(), application.data(), nullptr};
    return ::posix_spawn(&id, "/proc/self/exe", &actions_, &attributes_, arguments.data(),
                         environment().data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// How a process ended, by its status of waitpid().
struct process_end {
  driver_end how = driver_end::crashed;
  std::string why;
};

process_end end_of(std::optional<int> status) {
  const std::string name = "the MongoDB driver's process ";
  if (!status) return {driver_end::crashed, name + "closed its connection"};
  if (WIFSIGNALED(*status)) {
    const int signal = WTERMSIG(*status);
    const char* const abbreviation = ::sigabbrev_np(signal);
    const std::string shown =
        abbreviation != nullptr ? std::string{"SIG"} + abbreviation : std::to_string(signal);
    if (signal == SIGKILL) {
      return {driver_end::crashed,
              name + "was killed (SIGKILL), by the kernel for lack of memory, or by a user"};
    }
    return {driver_end::crashed, name + "crashed (" + shown + ")"};
  }
  if (WEXITSTATUS(*status) == driver_out_of_memory) {
    return {driver_end::memory, name + "reached its memory limit of " +
                                    std::to_string(driver_memory_bytes >> 20U) + " MiB"};
  }
  return {driver_end::crashed,
          name + "ended with status " + std::to_string(WEXITSTATUS(*status))};
}

}  // namespace

std::string_view label(driver_end how) noexcept {
  switch (how) {
    case driver_end::crashed:
      return "crashed";
    case driver_end::hung:
      return "hung";
    case driver_end::memory:
      return "memory";
    case driver_end::not_started:
      break;
  }
  return "not_started";
}

void set_driver_events(driver_events events) {
  auto shared = std::make_shared<const driver_events>(std::move(events));
  const std::lock_guard lock{record().mutex};
  record().events = std::move(shared);
}

void end_driver_rests() {
  const std::lock_guard lock{record().mutex};
  for (auto& [application, of] : record().failed) of.not_before = {};
}

std::optional<int> serve_driver_if_asked(int argc, char** argv) {
  may_start = true;
  std::signal(SIGCHLD,
              SIG_DFL);  // if it is ignored, the system doesn't report how a child ended
  if (argc < 1 || std::string_view{argv[0]} != process_name) return std::nullopt;
  return serve_driver();
}

driver_process::driver_process(std::string application, std::stop_token stop)
    : application_(std::move(application)), stop_(std::move(stop)) {}

driver_process::~driver_process() {
  if (socket_ && !stop_.stop_requested()) {
    ::shutdown(socket_.get(), SHUT_WR);
    deadline_ = clock::now() + farewell;
    std::array<std::byte, 64> rest{};
    while (receive(rest) == transfer::done) continue;
  }
  kill();
}

mongo_result<driver_process::answer> driver_process::call(const driver_request& request,
                                                          wire::document_view payload,
                                                          milliseconds limit) {
  if (stop_.stop_requested()) return failed(transfer::stopped, limit);
  if (!was_started_) {
    if (auto started = start(); !started) return started.error();
  }
  deadline_ = clock::now() + limit;
  if (!socket_) return mongo_error{mongo_failure::unreachable, 0, ended_};
  transfer moved = send(encode(request));
  if (moved == transfer::done) moved = send(payload.bytes());
  answer made;
  if (moved == transfer::done) moved = receive_message(made);
  while (moved == transfer::done && made.envelope.line) {
    const auto events = events_now();
    if (events->on_message) {
      events->on_message(made.envelope.line->is_error, made.envelope.line->text);
    }
    made = {};
    moved = clock::now() < deadline_ ? receive_message(made) : transfer::too_late;
  }
  if (moved != transfer::done) return failed(moved, limit);
  if (!made.envelope.failed) note_success(application_);
  return made;
}

mongo_result<void> driver_process::start() {
  if (!may_start) {
    return mongo_error{mongo_failure::unreachable, 0,
                       "this program can't start the MongoDB driver's process"};
  }
  if (const auto why = reason_to_rest(application_)) {
    return mongo_error{mongo_failure::unreachable, 0, *why};
  }
  was_started_ = true;
  const auto refused = [this](int number) {
    return fail(driver_end::not_started,
                "the MongoDB driver's process can't be started: " + error_text(number));
  };
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return refused(errno);
  }
  net::unique_fd ours{ends[0]};
  const net::unique_fd theirs{ends[1]};
  if (const int error = driver_spawn{theirs.get()}.run(id_, application_); error != 0) {
    id_ = -1;
    return refused(error);
  }
  socket_ = std::move(ours);
  return {};
}

/// Waits until the socket is ready for `events`, the deadline, or a request to stop.
driver_process::transfer driver_process::wait_for(short events) {
  for (;;) {
    if (stop_.stop_requested()) return transfer::stopped;
    const auto left = std::chrono::ceil<milliseconds>(deadline_ - clock::now());
    pollfd at{socket_.get(), events, 0};
    const auto slice = std::clamp(left, milliseconds{0}, look_every);
    if (::poll(&at, 1, static_cast<int>(slice.count())) > 0) return transfer::done;
    if (left <= milliseconds{0}) return transfer::too_late;
  }
}

driver_process::transfer driver_process::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EINTR) {
      if (const auto ready = wait_for(POLLOUT); ready != transfer::done) return ready;
    } else {
      return transfer::ended;
    }
  }
  return transfer::done;
}

driver_process::transfer driver_process::receive(std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t got = ::recv(socket_.get(), into.data(), into.size(), MSG_DONTWAIT);
    if (got > 0) {
      into = into.subspan(static_cast<std::size_t>(got));
    } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (const auto ready = wait_for(POLLIN); ready != transfer::done) return ready;
    } else {
      return transfer::ended;
    }
  }
  return transfer::done;
}

driver_process::transfer driver_process::receive_document(std::vector<std::byte>& into,
                                                          std::size_t most) {
  into.resize(sizeof(std::uint32_t));
  if (const auto got = receive(into); got != transfer::done) return got;
  const std::size_t size = wire::load_little<std::uint32_t>(into.data());
  if (size < wire::limits::min_document_bytes || size > most) {
    is_malformed_ = true;
    return transfer::ended;
  }
  into.resize(size);
  return receive(std::span{into}.subspan(sizeof(std::uint32_t)));
}

driver_process::transfer driver_process::receive_message(answer& into) {
  std::vector<std::byte> envelope;
  if (const auto got = receive_document(envelope, max_envelope_bytes); got != transfer::done) {
    return got;
  }
  auto read = decode_reply(envelope);
  if (!read) {
    is_malformed_ = true;
    return transfer::ended;
  }
  into.envelope = *std::move(read);
  return receive_document(into.payload, wire::limits::max_document_bytes);
}

mongo_error driver_process::failed(transfer how, milliseconds limit) {
  if (how == transfer::stopped) {
    kill();
    return {mongo_failure::unreachable, 0, ended_};
  }
  if (how == transfer::too_late) {
    return fail(driver_end::hung,
                "the MongoDB driver didn't finish within " + std::to_string(limit.count()) +
                    " ms, because it hangs, or the server answers too slowly; its process was "
                    "ended");
  }
  if (is_malformed_) {
    return fail(driver_end::crashed,
                "the MongoDB driver's process sent something that is not a reply");
  }
  const process_end end = end_of(reap(burial));
  return fail(end.how, end.why);
}

/// Ends the process, if it still runs, and reports its failure.
mongo_error driver_process::fail(driver_end how, std::string why) {
  kill();
  ended_ = std::move(why);
  note_failure(application_, how, ended_);
  return {mongo_failure::unreachable, 0, ended_};
}

void driver_process::kill() noexcept {
  was_started_ = true;
  socket_.reset();
  if (id_ < 0) return;
  ::kill(id_, SIGKILL);
  (void)reap(burial);
  id_ = -1;  // A process that the kernel still holds stays a zombie until this program ends.
}

/// Waits for the process's end. Returns its status; std::nullopt if it hasn't ended in time.
std::optional<int> driver_process::reap(milliseconds patience) noexcept {
  if (id_ < 0) return std::nullopt;
  const auto until = clock::now() + patience;
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(id_, &status, WNOHANG);
    if (ended == id_) {
      id_ = -1;
      return status;
    }
    if (ended < 0 && errno != EINTR) return std::nullopt;
    if (clock::now() >= until) return std::nullopt;
    std::this_thread::sleep_for(milliseconds{1});
  }
}

}  // namespace scattergate::config
