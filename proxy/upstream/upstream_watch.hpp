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

#include "config/options/options.hpp"
#include "net/unique_fd.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream/health_connection.hpp"
#include "proxy/upstream/silence.hpp"
#include "proxy/upstream/upstream.hpp"

namespace scattergate::proxy {

/// Checks the health of every mongos behind a listener periodically, on a thread of its own.
/// This detects within seconds, even without clients, a mongos that is down or doesn't answer.
/// A failed check raises a condition (a problem that log, metrics and page show). The pinned
/// mongos is the one in use. If failover_options::fall of its checks in a row fail, pins the
/// first other mongos whose last check passed. If no other mongos passed, reports that no
/// mongos can be reached.
///
/// A check is a hello. While clients wait and no command succeeds (see `silence`), the checks
/// of all mongos also try a command, because a mongos whose config servers hang answers a hello
/// only. A mongos that has failed this is tried so until it passes.
///
/// Thread-safety: construct and destroy it on one thread.
class upstream_watch {
 public:
  /// Returns the listener's current settings.
  using settings_source = std::function<listener_settings()>;

  /// Starts the thread. `settings`: returns the listener's current settings; called on the new
  /// thread.
  upstream_watch(upstream& watched, const config::failover_options& options,
                 settings_source settings);
  ~upstream_watch();  ///< interrupts a running check, and waits for the thread

 private:
  using failure = health_connection::failure;
  using addresses = boost::system::result<std::vector<net::socket_address>>;

  void run();
  void probe_all();
  [[nodiscard]] std::optional<bool> probe(std::size_t name);
  [[nodiscard]] std::optional<failure> probe(std::size_t name, upstream::target& at);
  void record(std::size_t name, const std::optional<failure>& failed);
  [[nodiscard]] std::optional<addresses> addresses_of(const net::endpoint& name);
  [[nodiscard]] bool is_stopped();
  [[nodiscard]] std::string waits() const;
  void leave(const upstream::target& failing);

  upstream& upstream_;
  config::failover_options options_;
  settings_source settings_;
  /// By name index: the address that passed the last check; empty: the check failed.
  std::vector<std::optional<upstream::target>> well_at_;
  std::vector<std::string> why_failed_;  ///< by name index: why the last failed check failed;
                                         ///< empty: failover_options::rise checks have passed
                                         ///< since
  std::vector<unsigned> passed_;         ///< by name index: passed checks in a row
  std::optional<silence> silence_;       ///< as of this round of checks
  std::optional<upstream::target> last_used_;   ///< pinned at the last round of checks
  unsigned failures_ = 0;                       ///< failed checks of the pinned target in a row
  net::unique_fd stop_;                         ///< an eventfd, readable once is_stopped_
  std::vector<health_connection> connections_;  ///< by name index
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_stopped_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace scattergate::proxy
