#pragma once

#include <functional>

#include "net/event_loop.hpp"
#include "net/unique_fd.hpp"
#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::proxy {

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
