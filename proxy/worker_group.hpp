#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "net/asio_forward.hpp"
#include "net/unique_fd.hpp"
#include "proxy/worker.hpp"

namespace scattergate::proxy {

/// All workers of a daemon. Each operation applies to all of them, and calls back when all have
/// completed it. Thread-safety: the control thread, unless stated otherwise.
class worker_group {
 public:
  /// Callbacks run on `control`.
  worker_group(boost::asio::io_context& control, const shared_parts& parts, unsigned count,
               net::engine_kind engine);

  /// Ends workers that still run after a failed start.
  ~worker_group();

  worker_group(const worker_group&) = delete;
  worker_group& operator=(const worker_group&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return workers_.size(); }

  /// Distributes a listener's sockets among the workers: one each, or fewer. Any worker may get
  /// its connections. Call it before start().
  void distribute(std::vector<net::unique_fd> sockets, const worker::listener& from);

  /// Starts the threads, which don't accept yet. Throws std::runtime_error with a one-line
  /// message if one can't be created.
  void start(const std::shared_ptr<const settings>& settings);

  void accept();  ///< after start()

  /// Applies the settings from each worker's next message on.
  void apply_settings(const std::shared_ptr<const settings>& settings,
                      std::function<void()> on_used);

  /// Makes all workers hand over what they have counted, and waits for that. Returns whether
  /// that was everything; false if `deadline` passes first. Thread-safety: any thread but the
  /// workers' own.
  [[nodiscard]] bool flush_counts(std::chrono::steady_clock::time_point deadline);

  /// The first step of a drain: stops accepting on all workers. Then calls `on_stopped`.
  void stop_accepting(std::function<void()> on_stopped);
  /// The second step of a drain: closes sessions as they become idle. Calls `on_drained` when
  /// all workers have ended. REQUIRES: `on_stopped` of stop_accepting() was called.
  void drain(drain_mode mode, std::function<void()> on_drained);
  void close_all();  ///< closes what remains after a drain

  /// Waits until all workers' threads have ended.
  void join();

 private:
  [[nodiscard]] std::function<void()> after_all(std::function<void()> next);

  boost::asio::io_context& control_;
  telemetry::stranger_places strangers_;
  std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace scattergate::proxy
