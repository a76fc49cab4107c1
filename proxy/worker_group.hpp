#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/options/options.hpp"
#include "net/asio_forward.hpp"
#include "net/event_loop.hpp"
#include "net/unique_fd.hpp"
#include "proxy/worker.hpp"

namespace scattergate::proxy {

/// The event engine of all workers (epoll or io_uring), and why it was chosen.
struct chosen_engine {
  net::engine_kind kind = net::engine_kind::epoll;
  std::string reason;  ///< "configured", "available", or why io_uring isn't available

  /// The engine's name in the configuration.
  [[nodiscard]] const char* name() const noexcept;
};

/// Chooses the event engine as `configured` (the option workers.engine). For `auto`, chooses
/// io_uring if the kernel supports it, otherwise epoll. Throws std::runtime_error with a
/// one-line message if io_uring is configured but not available.
[[nodiscard]] chosen_engine choose_engine(config::engine_choice configured);

/// All workers of a daemon. Each operation applies to all workers. An operation's callback is
/// called once all workers have completed the operation. Thread-safety: the control thread,
/// unless stated otherwise.
class worker_group {
 public:
  /// Creates `count` workers. Callbacks run on `control`. Throws std::system_error if the
  /// kernel refuses the event engine.
  worker_group(boost::asio::io_context& control, const worker_dependencies& parts,
               unsigned count, net::engine_kind engine);

  /// Ends the threads of workers that are still running, after a failed start.
  ~worker_group();

  worker_group(const worker_group&) = delete;
  worker_group& operator=(const worker_group&) = delete;

  /// The number of workers.
  [[nodiscard]] std::size_t size() const noexcept { return workers_.size(); }

  /// Distributes the sockets of the listener `from` among the workers. Any worker may get the
  /// listener's connections, even a worker without a socket. Call it before start().
  void distribute(std::vector<net::unique_fd> sockets, const worker::listener& from);

  /// Starts the threads, which don't accept connections until accept(). Throws
  /// std::runtime_error with a one-line message if a thread can't be created.
  void start(const std::shared_ptr<const settings>& settings);

  void accept();  ///< starts accepting connections; call it after start()

  /// Replaces the settings of each worker, for the worker's next message and later ones. Calls
  /// `on_used` once all workers use them.
  void apply_settings(const std::shared_ptr<const settings>& settings,
                      std::function<void()> on_used);

  /// Says that the live catalog has been read: the settings that were applied last contain what
  /// the read with this number has found. Thread-safety: the thread of apply_settings().
  void note_catalog_read(std::uint64_t number);

  /// Makes all workers hand over their counts to the telemetry::account, and waits until they
  /// have. Returns false if counts are left, or if `deadline` passes first. Thread-safety: any
  /// thread except the workers' threads.
  [[nodiscard]] bool flush_counts(std::chrono::steady_clock::time_point deadline);

  /// The first step of a drain: stops accepting on all workers. Calls `on_stopped` once all
  /// have stopped.
  void stop_accepting(std::function<void()> on_stopped);
  /// The second step of a drain: closes each session when it is idle (see session::drain()).
  /// Calls `on_drained` once all workers have drained. REQUIRES: `on_stopped` of
  /// stop_accepting() was called.
  void drain(drain_mode mode, std::function<void()> on_drained);
  void close_all();  ///< closes all sessions at once; ends a drain

  /// Waits until all workers' threads have ended.
  void join();

 private:
  [[nodiscard]] std::function<void()> after_all(std::function<void()> next);

  boost::asio::io_context& control_;
  telemetry::stranger_places strangers_;
  std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace scattergate::proxy
