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

/// Which counts the fleet's database has: kept in the state file (fleet/stored_ledger.hpp) by
/// state_keeper, used by fleet_sink. A delta is frozen when the file is written, flushed only
/// once the file has it, and kept until the database acknowledges it. Thread-safety: any
/// thread.
class fleet_ledger {
 public:
  using clock = std::chrono::steady_clock;

  struct settings {
    std::chrono::milliseconds interval{60'000};  ///< from one delta to the next, at least
    std::uint32_t logical_shards = 8;
    std::size_t max_rows = 10'000;
  };
  explicit fleet_ledger(settings with);

  // For state_keeper.

  /// Goes on with the ledger of the file, or with a new one.
  void take_up(const std::optional<fleet::stored_ledger>& found);
  /// The ledger as text, for the file that is about to be written. Freezes `rest` if that is
  /// due, and clears it then.
  [[nodiscard]] std::string text(unflushed_digest& rest, clock::time_point now = clock::now());
  /// The file with the last text() is on the disk.
  void note_saved();

  // For fleet_sink.

  struct view {
    std::string uuid;  ///< empty: the file doesn't have it yet
    std::uint64_t acknowledged = 0;
    std::shared_ptr<const fleet::frozen_delta> frozen;  ///< null: none, or not in the file yet
    bool is_confirmed = false;                          ///< the database knows no later flush
    std::uint64_t waiting = 0;  ///< commands that the database doesn't have, as last saved
    std::chrono::milliseconds lag{0};  ///< since when; zero if none waits
  };
  [[nodiscard]] view look(clock::time_point now = clock::now()) const;

  /// The database knows no flush that this ledger doesn't. Before that nothing is frozen.
  void confirm();
  /// The server's clock, by which deltas are dated: this host's may be wrong, or jump.
  void set_server_time(digest::wall_time server, clock::time_point now = clock::now());
  /// The database has the frozen delta with this number.
  void acknowledge(std::uint64_t number);
  /// Drops the frozen delta with this number; returns its commands.
  std::uint64_t drop(std::uint64_t number);
  /// The file was an old copy: begins a new ledger under a new uuid, with what this process has
  /// counted. Returns the commands of the copy that are dropped.
  std::uint64_t begin_anew();
  /// Freezes at each writing of the file from now on, whatever the interval.
  void hurry();
  /// Called after note_saved() if there is something new to flush; must not block.
  void on_ready(std::function<void()> ready);

 private:
  [[nodiscard]] bool is_due(clock::time_point now) const;
  void freeze(std::string rows, std::uint64_t commands, clock::time_point now);

  settings settings_;
  mutable std::mutex mutex_;  // guards the members below
  std::string uuid_;
  std::uint64_t acknowledged_ = 0;
  std::shared_ptr<const fleet::frozen_delta> frozen_;
  clock::time_point frozen_at_;
  digest::table restored_{1};  // of the file's rest, until it is known that it wasn't flushed
  bool is_confirmed_ = false;
  bool is_hurried_ = false;
  digest::wall_time server_time_;  // at server_time_at_
  clock::time_point server_time_at_;
  clock::time_point freeze_next_;
  clock::time_point flushed_up_to_;
  std::uint64_t waiting_ = 0;
  std::string text_uuid_;          // in the last text()
  std::uint64_t text_frozen_ = 0;  // its number, in the last text(); 0: none
  std::string saved_uuid_;
  std::uint64_t saved_frozen_ = 0;
  std::function<void()> ready_;
};

}  // namespace scattergate::telemetry
