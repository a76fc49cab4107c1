#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "net/unique_fd.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream/upstream.hpp"

namespace scattergate::proxy {

/// Asks the mongos in use, now and then, whether it lives (a hello over a connection of its
/// own, under TLS where the others are), where there are others to go over to: one that accepts
/// connections and answers nothing would otherwise hold everybody up. After two failures in a
/// row the others are asked, and the first that answers is used from then on. A thread of its
/// own, so that what takes long holds nobody up.
/// Thread-safety: construct and destroy from one thread.
class upstream_watch {
 public:
  using settings_source = std::function<listener_settings()>;

  /// `settings` gives the listener's settings as they are now, from any thread.
  upstream_watch(upstream& watched, std::chrono::milliseconds interval,
                 settings_source settings);
  ~upstream_watch();  ///< waits for no mongos and no name server

 private:
  void run();
  void check();
  [[nodiscard]] std::vector<net::socket_address> addresses_of(const net::endpoint& name);
  [[nodiscard]] bool is_stopped();
  [[nodiscard]] bool is_well(const upstream::target& target);
  void fail_over(const upstream::target& from);

  upstream& upstream_;
  std::chrono::milliseconds interval_;
  settings_source settings_;
  int failures_ = 0;     ///< of what is in use, in a row
  net::unique_fd stop_;  ///< an eventfd, readable once is_stopped_
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_stopped_ = false;  // under mutex_
  std::thread thread_;
};

}  // namespace scattergate::proxy
