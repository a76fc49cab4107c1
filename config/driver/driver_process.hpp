#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/types.h>

#include "config/driver/driver_events.hpp"
#include "config/driver/driver_message.hpp"
#include "net/unique_fd.hpp"
#include "wire/bson.hpp"

namespace scattergate::config {

/// A child process that runs libmongoc for one mongo_client (driver_server.hpp), so that
/// nothing that libmongoc does (crash, hang, use memory without end) affects this process. It
/// is this program again, connected by a socket. A call that exceeds its deadline, a request to
/// stop, and a process that fails end the process; then all later calls fail. Thread-safety:
/// one thread, the same for all calls, because the process ends with the thread that started
/// it.
class driver_process {
 public:
  using clock = std::chrono::steady_clock;

  /// `application`: the purpose of the process, as `ps` shows it. `stop`: ends the process and
  /// fails its calls, without a report to driver_events.
  driver_process(std::string application, std::stop_token stop);
  /// Lets the process end its sessions on the server, for at most half a second; then ends it.
  ~driver_process();
  driver_process(const driver_process&) = delete;
  driver_process& operator=(const driver_process&) = delete;

  /// The result of a call: the envelope's content and the payload.
  struct answer {
    driver_reply envelope;
    std::vector<std::byte> payload;
  };
  /// Sends a request and waits for the reply, at most for `limit`. The first call starts the
  /// process. A failed process is a mongo_error of the kind `unreachable`.
  [[nodiscard]] mongo_result<answer> call(const driver_request& request,
                                          wire::document_view payload,
                                          std::chrono::milliseconds limit);

  /// Ends the process at once. All later calls fail.
  void kill() noexcept;

 private:
  enum class transfer : std::uint8_t { done, ended, too_late, stopped };

  [[nodiscard]] mongo_result<void> start();
  [[nodiscard]] transfer send(std::span<const std::byte> bytes);
  [[nodiscard]] transfer receive(std::span<std::byte> into);
  [[nodiscard]] transfer receive_document(std::vector<std::byte>& into, std::size_t most);
  [[nodiscard]] transfer receive_message(answer& into);
  [[nodiscard]] transfer wait_for(short events);
  [[nodiscard]] mongo_error failed(transfer how, std::chrono::milliseconds limit);
  [[nodiscard]] mongo_error fail(driver_end how, std::string why);
  [[nodiscard]] std::optional<int> reap(std::chrono::milliseconds patience) noexcept;

  std::string application_;
  std::stop_token stop_;
  net::unique_fd socket_;
  pid_t id_ = -1;  // -1: no process
  bool was_started_ = false;
  bool is_malformed_ = false;  // the process has sent something other than a message
  std::string ended_ = "the call was ended";  // why calls fail once the process has ended
  clock::time_point deadline_;                // of the current call
};

/// If this program was started by a driver_process, runs as one and returns the exit status;
/// otherwise std::nullopt. main() of each program that uses mongo_client calls it first;
/// without it, the program's clients can't start driver processes.
[[nodiscard]] std::optional<int> serve_driver_if_asked(int argc, char** argv);

}  // namespace scattergate::config
