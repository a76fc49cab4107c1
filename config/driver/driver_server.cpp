#include "config/driver/driver_server.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config/driver/driver_message.hpp"
#include "config/driver/native_client.hpp"
#include "wire/endian.hpp"

namespace scattergate::config {
namespace {

using bytes = std::vector<std::byte>;

/// Descriptors for the socket, a connection to each server of the connection string, and the
/// files of the resolver and of TLS.
constexpr rlim_t most_descriptors = 256;

[[noreturn]] void end_without_memory() {
  ::_exit(driver_out_of_memory);
}

void limit(decltype(RLIMIT_DATA) what, rlim_t most) {
  const rlimit both{most, most};
  static_cast<void>(::setrlimit(what, &both));
}

/// Makes the kernel end this process first if memory runs out, not the daemon.
void volunteer_for_the_kernel() {
  constexpr std::string_view most = "1000";
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  const auto written = ::write(file, most.data(), most.size());
  static_cast<void>(written);
  ::close(file);
}

/// Gives up the capabilities that a process of root has.
void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return;
  bool has_any = false;
  for (const auto& one : sets) has_any = has_any || one.permitted != 0;
  if (!has_any) return;
  sets = {};
  static_cast<void>(::syscall(SYS_capset, &header, sets.data()));
}

/// Leaves this process only what libmongoc needs: to read files, and connect. What the system
/// refuses is left out: the process is a safeguard, not a sandbox for foreign code.
void confine() {
  // Only the parent ends this process: signals to a whole unit or group also reach the parent,
  // which may still need it.
  for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGPIPE}) {
    std::signal(each, SIG_IGN);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "mongo-driver");
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  volunteer_for_the_kernel();
  drop_capabilities();
  ::prctl(PR_SET_DUMPABLE, 0);  // no core with passwords, and no debugger
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, most_descriptors);
  if (!limits_its_resources) return;
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_DATA, driver_memory_bytes);
}

bool send(std::span<const std::byte> all) {
  while (!all.empty()) {
    const ssize_t sent = ::send(driver_socket, all.data(), all.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    all = all.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive(std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t got = ::recv(driver_socket, into.data(), into.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

/// The next document; std::nullopt if the parent has closed the socket.
std::optional<bytes> receive_document() {
  bytes made(sizeof(std::uint32_t));
  if (!receive(made)) return std::nullopt;
  made.resize(wire::load_little<std::uint32_t>(made.data()));
  if (!receive(std::span{made}.subspan(sizeof(std::uint32_t)))) return std::nullopt;
  return made;
}

bool send(const driver_reply& envelope, std::span<const std::byte> payload = {}) {
  static const wire::document_view nothing;
  return send(encode(envelope)) && send(payload.empty() ? nothing.bytes() : payload);
}

void pass_log(bool is_error, std::string_view message) {
  driver_reply line;
  line.line = {is_error, std::string{message}};
  static_cast<void>(send(line));
}

/// Carries out requests, and sends their replies.
class driver_server {
 public:
  /// False if the parent has closed the socket.
  [[nodiscard]] bool serve_one() {
    const auto envelope = receive_document();
    const auto payload = envelope ? receive_document() : std::nullopt;
    if (!payload) return false;
    const auto request = decode_request(*envelope);
    const auto command = wire::document_view::from(*payload);
    if (!request || !command) return false;
    if (request->what == driver_call::open) return open(*request);
    return client_ && answer(*request, *command);
  }

 private:
  [[nodiscard]] bool open(const driver_request& request) {
    auto opened = native_client::open(request.uri, request.application,
                                      std::chrono::milliseconds{request.wait_limit_ms});
    if (!opened) return reply(opened.error());
    client_ = *std::move(opened);
    return send(driver_reply{});
  }

  [[nodiscard]] bool answer(const driver_request& request, wire::document_view command) {
    switch (request.what) {
      case driver_call::connect: {
        const auto found = client_->connect();
        if (!found) return reply(found.error());
        driver_reply envelope;
        envelope.server = *found;
        return send(envelope);
      }
      case driver_call::run:
        return reply(client_->run(request.database, command));
      case driver_call::begin_transaction:
        return reply(client_->begin_transaction());
      case driver_call::run_in_transaction:
        return reply(client_->run_in_transaction(request.database, command));
      case driver_call::commit_transaction: {
        const auto done = client_->commit_transaction();
        return done ? send(driver_reply{}) : reply(done.error());
      }
      case driver_call::abort_transaction:
        client_->abort_transaction();
        return send(driver_reply{});
      case driver_call::open:
        break;
    }
    return false;
  }

  [[nodiscard]] static bool reply(const mongo_result<bytes>& came) {
    return came ? send(driver_reply{}, *came) : reply(came.error());
  }
  [[nodiscard]] static bool reply(const mongo_error& error) {
    driver_reply envelope;
    envelope.failed = error;
    return send(envelope);
  }

  std::optional<native_client> client_;
};

}  // namespace

int serve_driver() {
  confine();
  std::set_new_handler(end_without_memory);
  start_libmongoc(pass_log, end_without_memory);
  driver_server server;
  while (server.serve_one()) continue;
  return 0;
}

}  // namespace scattergate::config
