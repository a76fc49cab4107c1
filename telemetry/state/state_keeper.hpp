#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "net/unique_fd.hpp"
#include "telemetry/accounts/sink_thread.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "telemetry/sketches/sketch_book.hpp"
#include "telemetry/state/fleet_ledger.hpp"
#include "telemetry/state/state_file.hpp"

namespace scattergate::config {
struct options;
}  // namespace scattergate::config

namespace scattergate::telemetry {

/// Decides when the state file is written (a save), so that a crash loses the counts of at
/// most one `interval`. Each save starts less than an interval after the previous save. The
/// longer recent saves took, the earlier the next one starts. Thread-safety: one thread at a
/// time.
class save_schedule {
 public:
  using clock = std::chrono::steady_clock;

  explicit save_schedule(clock::duration interval) noexcept : interval_(interval) {}

  /// Call it when a save has succeeded. `taken`: when the save started. `has_all`: whether the
  /// save has all counts until `taken`. `done`: when the save became durable. Returns the time
  /// that the oldest of the saved counts waited to become durable: a crash just before `done`
  /// would have lost the counts of that time.
  clock::duration note_saved(clock::time_point taken, clock::time_point done,
                             bool has_all) noexcept;
  /// Call it when a save has failed. The next note_saved() then returns only the time that its
  /// own save took.
  void note_failed() noexcept { is_known_ = false; }

  /// When the next save starts, after the save that started at `taken`: half to nine tenths of
  /// an interval later.
  [[nodiscard]] clock::time_point next(clock::time_point taken) const noexcept;

 private:
  clock::duration interval_;
  clock::duration longest_{0};  // longest time of recent saves; decays slowly
  clock::time_point saved_up_to_;
  bool is_known_ = false;  // whether saved_up_to_ is set
};

/// Keeps the daemon's state in the state file. Reads the file at the start, and writes it
/// periodically and at the end, on a thread of its own. During a handover to a new version,
/// two processes use one file. The later one saves nothing until it gets the lock on FILE.lock.
/// It then adds the file's contents to its own state, so that no counts are lost.
/// Thread-safety: any thread.
class state_keeper final : sink {
 public:
  struct settings {
    std::string file;  ///< empty: nothing is saved
    /// A crash loses at most the counts of the last `interval`, if the disk is fast enough.
    std::chrono::milliseconds interval{60'000};
    std::size_t max_rows = 10'000;          ///< maximum number of rows (query shapes) to read
    condition_board* conditions = nullptr;  ///< a condition is raised there while writing fails
                                            ///< or is slow; null: none is raised
    /// How long another process may hold the lock before a condition is raised. During a
    /// handover, the old process may need this time to end its connections.
    std::chrono::milliseconds patience{0};
    fleet_ledger* ledger = nullptr;  ///< which counts the fleet's database has, also saved in
                                     ///< the file; null: there is no fleet
  };

  /// Reads the file now, unless another process holds the file's lock. Then starts the thread,
  /// which writes the file at once, so that an unwritable file is reported at the start.
  /// `failures`: counts failed writes, including those skipped while another process held the
  /// lock. `sketches`: saved too, unless null. The references must outlive this object.
  state_keeper(settings configured, live_digest& digest, std::atomic<std::uint64_t>& failures,
               sketch_book* sketches = nullptr);
  ~state_keeper() override;  ///< calls close()

  /// A function that adds the workers' outstanding counts to the digest, until the deadline.
  /// Returns whether it has added all of them.
  using collector = std::function<bool(clock::time_point deadline)>;
  /// Sets the function to call before each write of the file; empty: none. Waits until a
  /// running call of the previous function has returned.
  void collect_by(collector collect);

  /// The sink to pass to `account`, the object that adds up the workers' counts.
  [[nodiscard]] sink_thread& as_sink() noexcept { return thread_; }

  /// Saves the state and ends the thread; keeps the lock. If another process holds the lock,
  /// first waits briefly for the lock.
  void end() { thread_.close(); }
  /// Saves the state once more. Returns false if that fails, or if another process has the
  /// file. REQUIRES: end() has returned.
  [[nodiscard]] bool save_again();
  /// Calls end() if necessary, and releases the lock.
  void close();

 private:
  outcome run_turn(bool is_last) override;
  [[nodiscard]] bool take_over();
  void read();
  void log_content(const state_file::content& found);
  void report_damage();
  void add_sketches();
  [[nodiscard]] bool collect(clock::time_point now);
  [[nodiscard]] outcome write();
  void report_late(clock::duration waited);
  [[nodiscard]] clock::time_point next_turn(clock::time_point taken, bool is_all,
                                            bool is_written);
  [[nodiscard]] outcome held();

  settings settings_;
  live_digest& digest_;
  sketch_book* sketches_;
  state_file file_;
  net::unique_fd lock_;   // open from the start
  bool is_ours_ = false;  // whether this process may write the file; used only by the thread,
                          // after the start
  std::string damage_;    // what was wrong with the file; used like is_ours_
  std::optional<state_file::content> found_;  // content that isn't added to the digest yet;
                                              // used only by the thread, after the start
  // When to report next that another process has the file.
  clock::time_point report_at_;
  save_schedule schedule_;  // used only by the thread
  std::mutex collect_mutex_;
  collector collect_;  // guarded by collect_mutex_
  sink_thread thread_;
};

/// The state keeper's settings for these options. `is_successor`: this process takes over from
/// an older one, which may hold the lock until its connections have ended. `ledger`: used if
/// there is a fleet.
[[nodiscard]] state_keeper::settings state_settings_of(const config::options& from,
                                                       condition_board& conditions,
                                                       bool is_successor, fleet_ledger& ledger);

}  // namespace scattergate::telemetry
