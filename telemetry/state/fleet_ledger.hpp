#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "digest/table.hpp"
#include "fleet/stored_ledger.hpp"
#include "telemetry/shapes/unflushed_digest.hpp"

namespace scattergate::telemetry {

/// Tracks which counts the fleet's database already has. Counts are flushed as deltas. A delta
/// is frozen (fixed and numbered) when the state file is written, flushed only after that write
/// has succeeded, and kept until the database acknowledges it. state_keeper stores the ledger
/// in the state file (fleet/stored_ledger.hpp); fleet_sink flushes from it. Thread-safety: any
/// thread.
class fleet_ledger {
 public:
  using clock = std::chrono::steady_clock;

  struct settings {
    std::chrono::milliseconds interval{60'000};  ///< time between two deltas
    std::uint32_t logical_shards = 8;
    std::size_t max_rows = 10'000;
    /// Deltas older than this are discarded, not flushed.
    std::chrono::milliseconds retain{std::chrono::hours{24 * 30}};
  };
  explicit fleet_ledger(settings configured);

  // For state_keeper.

  /// Continues the ledger that the state file had; std::nullopt: starts a new one.
  void restore(const std::optional<fleet::stored_ledger>& found);
  /// Formats the ledger for the next write of the state file. If a delta is due, freezes the
  /// counts in `rest` as a delta and clears `rest`.
  [[nodiscard]] std::string text(unflushed_digest& rest, clock::time_point now = clock::now());
  /// When text() should be called next, so that a delta is frozen on time. In the past if no
  /// delta waits for that call.
  [[nodiscard]] clock::time_point freezes_at() const;
  /// Call it when the file with the last text() has been written durably.
  void note_saved();

  // For fleet_sink.

  struct view {
    std::string uuid;                ///< identifies the ledger; empty: not in the file yet
    std::uint64_t acknowledged = 0;  ///< number of the last acknowledged delta; 0: none
    std::shared_ptr<const fleet::frozen_delta> frozen;  ///< null: there is none, or it isn't in
                                                        ///< the file yet
    bool is_confirmed = false;                          ///< confirm() was called
    std::uint64_t waiting = 0;  ///< commands that the database lacks, as of the last save
    std::chrono::milliseconds lag{0};  ///< how long the oldest of these have waited; zero if
                                       ///< there are none
  };
  [[nodiscard]] view snapshot(clock::time_point now = clock::now()) const;

  /// Call it when the database is known to have no flush that this ledger lacks, so that the
  /// state file isn't a stale copy. No delta is frozen before.
  void confirm();
  /// Sets the server's time, by which deltas are dated, because this host's clock may be wrong.
  void set_server_time(digest::wall_time server, clock::time_point now = clock::now());
  /// Removes the frozen delta with this number: the database has counted it.
  void acknowledge(std::uint64_t number);
  /// Discards the frozen delta with this number. Returns the number of its commands.
  std::uint64_t drop(std::uint64_t number);
  /// Discards the counts that the file had outside of a frozen delta, if they were stored more
  /// than `age` ago by the server's clock. Returns the number of their commands. Call it when
  /// the database knows no flush of this ledger: if the file is a stale copy, the database may
  /// have these counts, but the records that would show it have expired.
  std::uint64_t drop_rest_older_than(std::chrono::milliseconds age,
                                     clock::time_point now = clock::now());
  /// Starts a new ledger under a new uuid, because the file was a stale copy. Keeps the counts
  /// of this process. Returns the number of discarded commands.
  std::uint64_t start_new_ledger();
  /// From now on, freezes a delta at every write of the file.
  void freeze_at_every_save();
  /// Sets the function that note_saved() calls when there is something new to flush. It must
  /// not block.
  void on_ready(std::function<void()> ready);

 private:
  [[nodiscard]] bool is_due(clock::time_point now) const;
  void freeze(std::string rows, std::uint64_t commands, clock::time_point now);
  [[nodiscard]] digest::wall_time server_time(clock::time_point now) const;

  settings settings_;
  mutable std::mutex mutex_;  // guards the members below
  std::string uuid_;
  std::uint64_t acknowledged_ = 0;
  std::shared_ptr<const fleet::frozen_delta> frozen_;
  clock::time_point frozen_at_;
  digest::table restored_{1};      // counts that the file had outside of a delta
  digest::wall_time restored_at_;  // when these were stored, by the server's clock; zero:
                                   // unknown
  bool is_confirmed_ = false;
  bool is_hurried_ = false;
  digest::wall_time server_time_;  // at server_time_at_
  clock::time_point server_time_at_;
  clock::time_point freeze_next_;
  clock::time_point flushed_up_to_;
  std::uint64_t waiting_ = 0;
  std::string text_uuid_;          // in the last text()
  std::uint64_t text_frozen_ = 0;  // number of its frozen delta; 0: none
  std::string saved_uuid_;
  std::uint64_t saved_frozen_ = 0;
  std::function<void()> ready_;
};

}  // namespace scattergate::telemetry
