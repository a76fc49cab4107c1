#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "net/unique_fd.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "telemetry/state/state_file.hpp"

namespace scattergate::config {
struct options;
}  // namespace scattergate::config

namespace scattergate::telemetry {

/// Keeps the digest in its file: takes what an earlier process left there, and writes it now
/// and then and at the end. Of two processes that have the same file, as at a handover, the
/// later one waits with both until the earlier one is done, so that nothing of either is lost:
/// who has the file holds a lock on FILE.lock. The one that waits saves nothing, and says so at
/// its start; it tries on until it has the lock, and then adds what the file holds to its own.
/// Thread-safety: any thread; one thread of its own reads and writes.
class state_keeper {
 public:
  struct settings {
    std::string file;  ///< empty: nothing is kept
    std::chrono::milliseconds interval{60'000};
    std::size_t max_rows = 10'000;
    condition_board* conditions = nullptr;  ///< is told while it can't be written
    /// How long another process may hold the lock before that is reported: as long as a
    /// predecessor drains, where there is one.
    std::chrono::milliseconds patience{0};
  };

  /// Takes what is there at once, where no other process has the file, and writes it again, so
  /// that a file that can't be written is reported at the start. `failures` counts writes that
  /// failed, and those that were due while another process had the file. Both must outlive
  /// this.
  state_keeper(settings with, live_digest& digest, std::atomic<std::uint64_t>& failures);
  ~state_keeper();  ///< closes
  state_keeper(const state_keeper&) = delete;
  state_keeper& operator=(const state_keeper&) = delete;

  /// Writes what there is, and ends the thread. Where another process still has the file, waits
  /// for it for a moment.
  void close();

 private:
  void run();
  void take_turn(bool is_last);
  [[nodiscard]] bool take_over();
  void read();
  void write();
  void report_held();

  settings settings_;
  live_digest& digest_;
  std::atomic<std::uint64_t>& failures_;
  state_file file_;
  net::unique_fd lock_;   // open from the start
  bool is_ours_ = false;  // the thread's own, but for the start
  // When to report next that another process has the file.
  std::chrono::steady_clock::time_point report_at_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool is_closing_ = false;

  std::thread thread_;
};

/// As the options say. `is_successor`: a predecessor may have the file until it has drained.
[[nodiscard]] state_keeper::settings state_settings_of(const config::options& from,
                                                       condition_board& conditions,
                                                       bool is_successor);

}  // namespace scattergate::telemetry
