#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "proxy/inspector.hpp"
#include "proxy/listener.hpp"
#include "proxy/memory_budget.hpp"
#include "proxy/session.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream.hpp"

namespace scattergate::proxy {

/// What the workers of a daemon have in common.
/// Thread-safety: any thread.
struct shared_parts {
  telemetry::metrics_collector& metrics;
  telemetry::audit_log& audit;
  memory_budget& memory;
  std::atomic<std::size_t>& connections;  ///< open ones, of all workers
  std::size_t max_connections = 0;
  std::size_t max_shapes = 0;
};

/// One thread with its own io_context and its own listening sockets: accepts, and carries its
/// sessions to their end. Shares nothing with other workers on the way of a command but the
/// cursor table.
/// Thread-safety: the public functions may be called from any thread.
class worker final : private session_host {
 public:
  worker(std::string name, const shared_parts& parts);
  ~worker();

  [[nodiscard]] boost::asio::io_context& context() noexcept { return context_; }

  /// Before start(): accepts from `listener` for `upstream`.
  void add_listener(acceptor listener, upstream& upstream);

  void start(std::shared_ptr<const settings> settings);
  void use(std::shared_ptr<const settings> settings);  ///< from the next message on

  /// Stops accepting and closes sessions as they become idle; the thread ends with the last.
  /// `on_drained` is called on it, once all findings have been handed over.
  void drain(std::function<void()> on_drained);
  void close_all();  ///< closes what a drain has left
  void join();

 private:
  struct port {
    port(acceptor listener, upstream& behind)
        : listening(std::move(listener)), retry(listening.get_executor()), mongos(behind) {}
    acceptor listening;
    boost::asio::steady_timer retry;
    upstream& mongos;
  };

  [[nodiscard]] inspector& judge() noexcept override { return inspector_; }
  [[nodiscard]] block_pool& blocks() noexcept override { return blocks_; }
  void on_closed(session& closed) override;

  void run();
  void accept(port& from);
  void on_accepted(port& from, session::socket socket);
  void accept_later(port& from);
  void keep_house();
  void end_if_drained();
  template <typename Action>
  void for_each_session(Action action);

  std::string name_;
  shared_parts parts_;
  telemetry::worker_metrics& metrics_;
  telemetry::finding_table findings_;
  inspector inspector_;
  block_pool blocks_;
  boost::asio::io_context context_{1};
  boost::asio::steady_timer housekeeping_{context_};
  std::vector<std::unique_ptr<port>> ports_;
  std::unordered_map<session*, std::shared_ptr<session>> sessions_;
  std::function<void()> on_drained_;
  bool is_draining_ = false;
  std::thread thread_;
};

}  // namespace scattergate::proxy
