#pragma once

#include <functional>

#include "proxy/event_loop.hpp"
#include "proxy/unique_fd.hpp"
#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::proxy {

/// Accepts from one listening socket on one loop. Where the process has run out of file
/// descriptors or memory it rests until resume(), so that what is open can go on.
/// Thread-safety: one thread, the loop's.
class acceptor final : private event_loop::watcher {
 public:
  using on_accept = std::function<void(unique_fd)>;

  acceptor(unique_fd listening, event_loop& loop, telemetry::worker_metrics& metrics,
           on_accept accepted);
  ~acceptor();

  void start();
  void rest();    ///< until resume(): what is open needs all that there is
  void resume();  ///< where it rests
  void stop();

 private:
  void on_ready(const event_loop::readiness& now) override;

  unique_fd listening_;
  event_loop& loop_;
  telemetry::worker_metrics& metrics_;
  on_accept accepted_;
  bool is_resting_ = false;
};

}  // namespace scattergate::proxy
