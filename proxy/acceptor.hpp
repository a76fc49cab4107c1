#pragma once

#include <functional>

#include "net/event_loop.hpp"
#include "net/unique_fd.hpp"
#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::proxy {

/// Accepts connections from one listening socket on one event loop. Pauses by itself when the
/// process runs out of file descriptors or memory, so that open connections can use the rest;
/// the owner ends the pause with resume(). Thread-safety: the loop's thread.
class acceptor final : private net::event_loop::watcher {
 public:
  /// Receives an accepted connection: a non-blocking socket.
  using on_accept = std::function<void(net::unique_fd)>;

  /// `listening`: the listening socket, non-blocking. `accepted`: receives each new connection.
  /// The references must outlive this object.
  acceptor(net::unique_fd listening, net::event_loop& loop, telemetry::worker_metrics& metrics,
           on_accept accepted);
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
  on_accept accepted_;
  bool is_resting_ = false;  // paused
};

}  // namespace scattergate::proxy
