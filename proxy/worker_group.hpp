#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "net/asio_forward.hpp"
#include "net/unique_fd.hpp"
#include "proxy/worker.hpp"

namespace scattergate::proxy {

/// The workers of a daemon: what is asked of them is asked of all, and the answer comes once
/// all of them have done it. Thread-safety: one thread, the control one.
class worker_group {
 public:
  /// Answers are called on `control`.
  worker_group(boost::asio::io_context& control, const shared_parts& parts, unsigned count);

  /// Ends those that still run: after a start that has failed.
  ~worker_group();

  worker_group(const worker_group&) = delete;
  worker_group& operator=(const worker_group&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return workers_.size(); }

  /// Before start(): a socket for each worker, or fewer. What they accept goes to any worker.
  void share_out(std::vector<net::unique_fd> sockets, const worker::listener& from);

  /// Starts the threads, which accept nobody yet. Throws std::runtime_error with a line for
  /// people where there is one not to be had.
  void start(const std::shared_ptr<const settings>& settings);

  void accept();  ///< after start()

  /// From each worker's next message on.
  void use(const std::shared_ptr<const settings>& settings, std::function<void()> on_used);

  /// The two steps of a drain (docs/architecture.md, "A life").
  void stop_accepting(std::function<void()> on_stopped);
  void drain(drain_manner manner, std::function<void()> on_drained);
  void close_all();  ///< closes what a drain has left

  void join();

 private:
  [[nodiscard]] std::function<void()> after_all(std::function<void()> next);

  boost::asio::io_context& control_;
  telemetry::stranger_places strangers_;
  std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace scattergate::proxy
