#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "fleet/database.hpp"
#include "fleet/documents.hpp"
#include "fleet/lease.hpp"
#include "telemetry/accounts/sink_thread.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/state/fleet_ledger.hpp"

namespace scattergate::config {
struct options;
}  // namespace scattergate::config

namespace scattergate::telemetry {

/// The fleet sink's counters, for metrics: references to members of daemon_facts. A flush sends
/// one delta (a batch of counts) to the fleet's database.
struct fleet_counts {
  std::atomic<std::uint64_t>& flushes;    ///< flushes that the database acknowledged
  std::atomic<std::uint64_t>& failures;   ///< failed attempts to flush, also because another
                                          ///< daemon holds fleet.name
  std::atomic<std::int64_t>& flushed_at;  ///< Unix seconds when the database last acknowledged
                                          ///< a flush, or had all counts; 0: never
  /// The same time by the steady clock; until then, the time of the first attempt.
  std::atomic<std::chrono::steady_clock::time_point>& fresh_at;
  std::atomic<std::uint64_t>& waiting;  ///< commands whose counts aren't in the database yet
  std::atomic<std::uint64_t>& dropped;  ///< commands whose counts were discarded, so that the
                                        ///< database never gets them
};

/// Adds this daemon's counts to the fleet's database, which several daemons ("sidecars") share.
/// Takes deltas (batches of counts with a number) from fleet_ledger, and sends them: it
/// "flushes". Also holds the lease on fleet.name, so that no two daemons use the name. While
/// the database is unreachable, counts wait in the ledger. A thread of its own accesses the
/// database. Thread-safety: any thread.
class fleet_sink final : sink {
 public:
  struct settings {
    std::string name;      ///< fleet.name: this daemon's name in the fleet
    std::string uri_file;  ///< file with the connection string; empty: there is no fleet, and
                           ///< the sink does nothing
    std::string database;  ///< the name of the fleet's database
    std::chrono::milliseconds interval{60'000};  ///< time between two flushes
    /// The maximum age of counts: older counts are dropped instead of flushed.
    std::chrono::milliseconds retain{std::chrono::hours{24 * 30}};
    condition_board* conditions = nullptr;  ///< where failures are raised as conditions; null:
                                            ///< nowhere
    std::function<void(bool)> on_name{};    ///< called with whether this daemon holds the lease
                                            ///< on fleet.name; empty: not called
    /// The clock that decides when the lease ends; tests replace it.
    std::function<clock::time_point()> lease_clock = clock::now;
  };

  /// `describe`: returns this daemon's version, catalog and rules, for the database. `ledger`
  /// and the members of `counts` must outlive this object.
  fleet_sink(settings configured, fleet_ledger& ledger, fleet_counts counts,
             std::function<fleet::sidecar_facts()> describe);
  ~fleet_sink() override;

  /// Starts the thread. Does nothing if there is no fleet.
  void start();

  /// Flushes all counts in the ledger, retrying until `deadline`, releases the lease and ends
  /// the thread. Stops earlier if another daemon holds fleet.name. The last attempt may take 5
  /// s, even after the deadline; then its call to the database is ended. `is_urgent`: no
  /// retries, and 2 s. `save`: a function that writes the state file, and returns false on
  /// failure. On that write, the ledger makes a delta of the counts that have none yet.
  void finish(clock::time_point deadline, bool is_urgent, std::function<bool()> save);

 private:
  /// `not_ours`: nothing was flushed, because another daemon holds the lease on fleet.name.
  enum class attempt : std::uint8_t { done, not_ours };

  outcome run_turn(bool is_last) override;
  [[nodiscard]] config::mongo_result<attempt> try_once(std::chrono::milliseconds patience);
  [[nodiscard]] config::mongo_result<bool> hold_lease(const fleet_ledger::view& now);
  [[nodiscard]] config::mongo_result<void> say_facts(const fleet_ledger::view& now,
                                                     const fleet::database::clocks& clocks);
  [[nodiscard]] config::mongo_result<void> check_history(const fleet_ledger::view& now);
  [[nodiscard]] config::mongo_result<void> flush(const fleet_ledger::view& now,
                                                 digest::wall_time server_time);
  void disconnect(const config::mongo_error& after);
  void start_new_ledger();
  void drop(const fleet_ledger::view& now);
  void report_dropped(std::uint64_t dropped);
  void flush_the_rest();

  settings settings_;
  fleet_ledger& ledger_;
  fleet_counts counts_;
  std::function<fleet::sidecar_facts()> describe_;
  std::string token_;                          // identifies this process
  std::unique_ptr<fleet::database> database_;  // null: not connected
  std::unique_ptr<fleet::lease> lease_;        // null: the uuid isn't on the disk yet
  std::string leased_uuid_;
  clock::time_point lease_ends_;  // when the lease ends unless it is renewed
  bool is_name_taken_ = false;    // the condition is raised
  clock::time_point deadline_;    // when the last turn tries no more
  clock::time_point end_;         // when the last turn must end
  clock::time_point ends_at_ = clock::time_point::max();  // when a flush must end; used only by
                                                          // the thread
  std::stop_source stop_;                                 // ends calls to the database
  std::function<bool()> save_;
  sink_thread thread_;
};

/// The fleet sink's settings for these options.
[[nodiscard]] fleet_sink::settings fleet_settings_of(const config::options& from,
                                                     condition_board& conditions);

}  // namespace scattergate::telemetry
