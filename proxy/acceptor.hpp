#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "config/options/options.hpp"
#include "net/event_loop.hpp"
#include "net/unique_fd.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::proxy {

/// Counts the open client connections of all workers and listeners, in total and per host. A
/// host is a TCP client's address without the port, or the user who runs the client of a Unix
/// socket ("uid:1000"). Thread-safety: any thread.
class connection_counts {
 public:
  /// Counts a new connection from `host`. Returns false, and counts nothing, if a limit is
  /// reached.
  [[nodiscard]] bool admit(const std::string& host, const config::limit_options& limits) {
    const std::lock_guard lock(mutex_);
    if (total_ >= limits.connections) return false;
    std::size_t& of_host = by_host_[host];
    if (limits.connections_per_address != 0 && of_host >= limits.connections_per_address) {
      return false;
    }
    ++of_host;
    ++total_;
    return true;
  }

  /// Removes a connection from the counts. REQUIRES: admit() returned true for the connection.
  void leave(const std::string& host) {
    const std::lock_guard lock(mutex_);
    const auto found = by_host_.find(host);
    if (--found->second == 0) by_host_.erase(found);
    --total_;
  }

  /// The number of open client connections of all hosts.
  [[nodiscard]] std::size_t total() const {
    const std::lock_guard lock(mutex_);
    return total_;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::size_t, wire::seeded_text_hash, std::equal_to<>>
      by_host_;
  std::size_t total_ = 0;
};

/// An accepted connection, with a descriptor for the connection to mongos that will serve it.
struct accepted_client {
  net::unique_fd socket;    ///< the client's, non-blocking
  net::unique_fd reserved;  ///< a socket for net::begin_connect()
};

/// Accepts connections from one listening socket on one event loop. Reserves a descriptor for
/// the connection to mongos before it accepts a client. Pauses by itself when the process runs
/// out of file descriptors or memory, so that open connections can use the rest; the owner ends
/// the pause with resume(). Thread-safety: the loop's thread.
class acceptor final : private net::event_loop::watcher {
 public:
  /// Receives an accepted connection.
  using on_accept = std::function<void(accepted_client)>;
  /// Creates a socket for a connection to mongos; empty if there is no descriptor for it.
  using reserver = std::function<net::unique_fd()>;

  /// `listening`: the listening socket, non-blocking. `accepted`: receives each new connection.
  /// The references must outlive this object.
  acceptor(net::unique_fd listening, net::event_loop& loop, telemetry::worker_metrics& metrics,
           reserver reserve, on_accept accepted);
  ~acceptor();

  void start();   ///< starts accepting
  void pause();   ///< pauses until resume(); increments the metric of failed accepts
  void resume();  ///< ends a pause; does nothing if not paused
  void stop();    ///< closes the listening socket

 private:
  void on_ready(const net::event_loop::readiness& now) override;

  net::unique_fd listening_;
  net::event_loop& loop_;
  telemetry::worker_metrics& metrics_;
  reserver reserve_;
  on_accept accepted_;
  net::unique_fd reserved_;  // for the next client; empty: not reserved yet
  bool is_resting_ = false;  // paused
};

}  // namespace scattergate::proxy
