#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/system/result.hpp>

#include "net/unique_fd.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream/health_connection.hpp"
#include "proxy/upstream/upstream.hpp"

namespace scattergate::proxy {

/// Checks the health of every mongos behind a listener periodically, on a thread of its own.
/// This detects a mongos that is down, or that accepts connections without answering, within
/// seconds, even without clients. A failed check raises a condition. After two failed checks of
/// the pinned mongos in a row, the first other one whose last check passed is pinned.
/// Thread-safety: construct and destroy it on one thread.
class upstream_watch {
 public:
  using settings_source = std::function<listener_settings()>;

  /// `settings`: returns the listener's current settings; called on the checks' thread.
  upstream_watch(upstream& watched, std::chrono::milliseconds interval,
                 settings_source settings);
  ~upstream_watch();  ///< waits for the thread, but not for an answer of a mongos or name
                      ///< server

 private:
  using failure = health_connection::failure;
  using addresses = boost::system::result<std::vector<net::socket_address>>;

  void run();
  void probe_all();
  [[nodiscard]] bool probe(std::size_t name);
  [[nodiscard]] std::optional<failure> probe(std::size_t name, upstream::target& at);
  [[nodiscard]] std::optional<addresses> addresses_of(const net::endpoint& name);
  [[nodiscard]] bool is_stopped();
  [[nodiscard]] std::string waits() const;
  void leave(const upstream::target& failing);

  upstream& upstream_;
  std::chrono::milliseconds interval_;
  settings_source settings_;
  /// By name index: the address that passed the last check; empty: the check failed.
  std::vector<std::optional<upstream::target>> well_at_;
  std::vector<std::string> why_failed_;  ///< by name index: why the last check failed; empty:
                                         ///< it passed
  std::optional<upstream::target> last_used_;   ///< pinned at the last round of checks
  int failures_ = 0;                            ///< failed checks of the pinned target in a row
  net::unique_fd stop_;                         ///< an eventfd, readable once is_stopped_
  std::vector<health_connection> connections_;  ///< by name index
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_stopped_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace scattergate::proxy
