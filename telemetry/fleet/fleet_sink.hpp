#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "fleet/database.hpp"
#include "fleet/lease.hpp"
#include "fleet/sidecar_document.hpp"
#include "telemetry/accounts/sink_thread.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/state/fleet_ledger.hpp"

namespace scattergate::config {
struct options;
}  // namespace scattergate::config

namespace scattergate::telemetry {

/// The fleet sink's counters, for metrics.
struct fleet_counts {
  std::atomic<std::uint64_t>& flushes;
  std::atomic<std::uint64_t>& failures;
  std::atomic<std::int64_t>& flushed_at;  ///< Unix seconds
  std::atomic<std::uint64_t>& waiting;    ///< commands whose counts the database lacks
  std::atomic<std::uint64_t>& dropped;  ///< commands whose counts were discarded, never flushed
};

/// Flushes the ledger's frozen deltas to the fleet's database, and holds the lease on
/// fleet.name. While the database is unreachable, counts wait in the ledger. Its own thread
/// accesses the database. Thread-safety: any thread.
class fleet_sink final : sink {
 public:
  struct settings {
    std::string name;
    std::string uri_file;  ///< empty: there is no fleet, and the sink does nothing
    std::string database;
    std::chrono::milliseconds interval{60'000};
    std::chrono::milliseconds retain{std::chrono::hours{24 * 30}};
    condition_board* conditions = nullptr;
    std::function<void(bool)> on_name{};  ///< called with whether this daemon holds its name
    std::function<clock::time_point()> lease_clock = clock::now;  ///< measures the lease
  };

  /// `describe`: returns the version, catalog and rules. All references must outlive this
  /// object.
  fleet_sink(settings configured, fleet_ledger& ledger, fleet_counts counts,
             std::function<fleet::sidecar_facts()> describe);
  ~fleet_sink() override;

  /// Starts the thread.
  void start();

  /// Flushes everything in the ledger, retrying until `deadline`, releases the lease and ends
  /// the thread. `save`: writes the state file; returns false on failure.
  void finish(clock::time_point deadline, std::function<bool()> save);

 private:
  /// `not_ours`: another daemon holds fleet.name.
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
  clock::time_point deadline_;    // when the last turn must end
  clock::time_point ends_at_ = clock::time_point::max();  // when a flush must end; used only by
                                                          // the thread
  std::function<bool()> save_;
  sink_thread thread_;
};

/// The fleet sink's settings for these options.
[[nodiscard]] fleet_sink::settings fleet_settings_of(const config::options& from,
                                                     condition_board& conditions);

}  // namespace scattergate::telemetry
