#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "config/options/options.hpp"
#include "net/unique_fd.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream/health_connection.hpp"
#include "proxy/upstream/silence.hpp"
#include "proxy/upstream/upstream.hpp"
#include "proxy/upstream/upstream_address.hpp"

namespace scattergate::proxy {

/// Checks the health of every mongos behind a listener periodically, on a thread of its own.
/// This detects within seconds, even without clients, a mongos that is down or doesn't answer.
/// Each address of a name is checked by itself; a failed check has the name resolved again, and
/// raises a condition (a problem that log, metrics and page show). If failover_options::fall
/// checks in a row of a mongos in use fail, the listener leaves it for another whose last check
/// passed. If no other mongos passed, reports that no mongos can be reached.
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
  using clock = upstream_address::clock;
  using addresses = std::vector<upstream_address_ptr>;
  /// The checks of one address.
  struct record {
    record(int stop, std::chrono::milliseconds timeout) : connection(stop, timeout) {}
    health_connection connection;
    std::string why_failed;  ///< why the last failed check failed; empty:
                             ///< failover_options::rise checks have passed since
    unsigned failures = 0;   ///< failed checks in a row
    unsigned passed = 0;     ///< passed checks in a row
  };

  void run();
  void check_all();
  [[nodiscard]] addresses check_addresses(const upstream_address_ptr& in_use);
  [[nodiscard]] addresses in_turns(addresses all, const upstream_address_ptr& in_use);
  [[nodiscard]] record& record_of(const upstream_address_ptr& at);
  void check(const upstream_address_ptr& at);
  void check_names();
  void count(bool has_passed);
  void forget_all_but(const addresses& checked);
  void judge(const addresses& checked, const upstream_address_ptr& in_use);
  void note_state(const upstream_address_ptr& at, const record& of,
                  const upstream_address_ptr& in_use);
  [[nodiscard]] std::string why_all_failed(const addresses& checked);
  [[nodiscard]] bool is_stopped();
  [[nodiscard]] std::string waits() const;

  upstream& upstream_;
  config::failover_options options_;
  settings_source settings_;
  std::map<upstream_address_ptr, record> records_;
  std::optional<silence> silence_;     ///< as of this round of checks
  upstream_address_ptr last_failing_;  ///< of the addresses that have failed before: the one
                                       ///< that was checked last
  net::unique_fd stop_;                ///< an eventfd, readable once is_stopped_
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_stopped_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace scattergate::proxy
