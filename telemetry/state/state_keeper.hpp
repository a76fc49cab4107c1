#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
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

/// Keeps the digest in its file, as a sink of the account: reads what an earlier process left,
/// and writes it periodically and at the end. If two processes use the same file, as during a
/// handover, the later one waits for the earlier one's lock on FILE.lock, and saves nothing
/// meanwhile; then it adds the file's content to its own, so that no counts are lost.
/// Thread-safety: any thread; an own thread reads and writes.
class state_keeper final : sink {
 public:
  struct settings {
    std::string file;  ///< empty: nothing is kept
    std::chrono::milliseconds interval{60'000};
    std::size_t max_rows = 10'000;
    condition_board* conditions = nullptr;  ///< gets a condition while writing fails
    /// How long another process may hold the lock before that is reported: the predecessor's
    /// drain time, if there is one.
    std::chrono::milliseconds patience{0};
    fleet_ledger* ledger = nullptr;  ///< is kept in the file too; null: there is no fleet
  };

  /// Reads the file at once, unless another process has it. The thread then writes it, so that
  /// an unwritable file is reported at the start. `failures` counts failed writes, and those
  /// due while another process had the file. `digest` and `failures` must outlive this object.
  /// `sketches` are kept too, unless it is null.
  state_keeper(settings with, live_digest& digest, std::atomic<std::uint64_t>& failures,
               sketch_book* sketches = nullptr);
  ~state_keeper() override;  ///< calls close()

  [[nodiscard]] sink_thread& as_sink() noexcept { return thread_; }

  /// Writes the digest and ends the thread, and keeps the file. If another process still has
  /// the file, waits briefly for it.
  void end() { thread_.close(); }
  /// Writes the digest once more; false if that failed. REQUIRES: end() has returned.
  [[nodiscard]] bool save_again();
  /// Does what end() does if it wasn't called, and lets the next process have the file.
  void close();

 private:
  outcome run_turn(bool is_last) override;
  [[nodiscard]] bool take_over();
  void read();
  void log_content(const state_file::content& found) const;
  void add_sketches();
  [[nodiscard]] outcome write();
  [[nodiscard]] outcome held();

  settings settings_;
  live_digest& digest_;
  sketch_book* sketches_;
  state_file file_;
  net::unique_fd lock_;                       // open from the start
  bool is_ours_ = false;                      // used only by the thread, after the start
  std::optional<state_file::content> found_;  // content still to be added; used as is_ours_
  // When to report next that another process has the file.
  clock::time_point report_at_;
  sink_thread thread_;
};

/// The settings for these options. `is_successor`: a predecessor may hold the file until it has
/// drained. `ledger` is kept in the file if there is a fleet.
[[nodiscard]] state_keeper::settings state_settings_of(const config::options& from,
                                                       condition_board& conditions,
                                                       bool is_successor, fleet_ledger& ledger);

}  // namespace scattergate::telemetry
