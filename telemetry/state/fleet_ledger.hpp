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
#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Tracks which of this daemon's counts are in the fleet's database, which several daemons
/// share. Each count arrives there exactly once, even after a crash. Counts are sent
/// ("flushed") as deltas. A delta is frozen, that is, fixed and numbered, when the state file
/// is written. It is flushed only after that write has succeeded, and kept until the database
/// acknowledges it. state_keeper stores the ledger in the state file (fleet/stored_ledger.hpp);
/// fleet_sink flushes the deltas. Thread-safety: any thread.
class fleet_ledger {
 public:
  using clock = std::chrono::steady_clock;

  struct settings {
    std::chrono::milliseconds interval{60'000};  ///< time between freezing two deltas
    std::uint32_t logical_shards = 8;  ///< number of the database's documents per shape
    std::size_t max_rows = 10'000;     ///< maximum number of rows (query shapes) of a delta
    /// The maximum age of counts: older deltas are discarded instead of flushed.
    std::chrono::milliseconds retain{std::chrono::hours{24 * 30}};
  };
  explicit fleet_ledger(settings configured);

  // For state_keeper.

  /// Continues the ledger that was read from the state file. std::nullopt: there was none, so
  /// starts a new ledger under a new uuid. Before the first call, text() returns an empty text.
  void restore(const std::optional<fleet::stored_ledger>& found);
  /// Formats the ledger for the next write of the state file. `rest`: the counts that aren't in
  /// a delta yet. If a delta is due, freezes these counts as a delta and clears `rest`.
  [[nodiscard]] std::string text(unflushed_digest& rest, clock::time_point now = clock::now());
  /// When the next delta is due to be frozen. If this time is in the future, call text() again
  /// by then. If it is in the past, there may be nothing to freeze: wait for the next regular
  /// save of the state file.
  [[nodiscard]] clock::time_point freezes_at() const;
  /// Call it when the state file with the result of the last text() has been written durably.
  void note_saved();

  // For fleet_sink.

  /// The ledger's state for the next flush.
  struct view {
    std::string uuid;  ///< identifies the ledger; empty: not in the state file yet
    std::uint64_t acknowledged = 0;  ///< number of the last acknowledged delta; 0: none
    std::shared_ptr<const fleet::frozen_delta> frozen;  ///< the delta to flush; null: none, or
                                                        ///< not in the state file yet
    bool is_confirmed = false;         ///< confirm() or start_new_ledger() was called
    std::uint64_t waiting = 0;         ///< number of commands, as of the last text(), that the
                                       ///< database hasn't acknowledged yet
    std::chrono::milliseconds lag{0};  ///< the longest time that one of these commands may have
                                       ///< waited; zero if there are none
  };
  /// The current state.
  [[nodiscard]] view snapshot(clock::time_point now = clock::now()) const;

  /// Records that the state file isn't a stale copy: the database has no flush of this ledger
  /// that the file doesn't know. Until confirm() or start_new_ledger() is called, no new delta
  /// is frozen.
  void confirm();
  /// Sets the database server's time, by which deltas are dated, because this host's clock may
  /// be wrong. `now`: the steady clock's time at the moment when the server's clock showed
  /// `server`.
  void set_server_time(digest::wall_time server, clock::time_point now = clock::now());
  /// Removes the frozen delta with this number, because the database has counted it. Does
  /// nothing if that delta isn't frozen.
  void acknowledge(std::uint64_t number);
  /// Discards the frozen delta with this number. Returns how many commands it counted; 0 if
  /// that delta isn't frozen.
  std::uint64_t drop(std::uint64_t number);
  /// Discards the counts that the state file had outside of a frozen delta, if they were stored
  /// more than `age` ago by the server's clock. Returns how many commands they counted. Call it
  /// when the database has no record of this ledger. Such old counts may be in the database
  /// already: the file may be a stale copy, and the records that would show this may have
  /// expired.
  std::uint64_t drop_rest_older_than(std::chrono::milliseconds age,
                                     clock::time_point now = clock::now());
  /// Starts a new ledger under a new uuid, because the state file was a stale copy. Discards
  /// the file's counts, and keeps those of this process. Returns how many commands were
  /// discarded.
  std::uint64_t start_new_ledger();
  /// From now on, text() freezes a delta at every call, unless one is frozen already. For the
  /// end of the process.
  void freeze_at_every_save();
  /// Sets the function that note_saved() calls when the saved file has a new delta to flush or
  /// a new uuid. The function must not block.
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
  digest::table restored_{1};      // the state file's counts that were in no delta
  digest::wall_time restored_at_;  // when `restored_` was stored, by the server's clock; zero:
                                   // unknown
  bool is_confirmed_ = false;
  bool is_hurried_ = false;
  digest::wall_time server_time_;  // the server's time at server_time_at_
  clock::time_point server_time_at_;
  clock::time_point freeze_next_;
  clock::time_point flushed_up_to_;
  std::uint64_t waiting_ = 0;
  std::string text_uuid_;          // the uuid in the last text()
  std::uint64_t text_frozen_ = 0;  // number of the frozen delta in the last text(); 0: none
  std::string saved_uuid_;
  std::uint64_t saved_frozen_ = 0;
  std::function<void()> ready_;
};

}  // namespace scattergate::telemetry
