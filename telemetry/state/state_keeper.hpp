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
#include "telemetry/state/state_file.hpp"

namespace scattergate::config {
struct options;
}  // namespace scattergate::config

namespace scattergate::telemetry {

/// Keeps the digest in its file, a sink of the account that looks at the digest: takes what an
/// earlier process left there, and writes it now and then and at the end. Of two processes that
/// have the same file, as at a handover, the later one waits with both until the earlier one is
/// done, so that nothing of either is lost: who has the file holds a lock on FILE.lock. The one
/// that waits saves nothing, and says so at its start; it tries on until it has the lock, and
/// then adds what the file holds to its own. Thread-safety: any thread; one thread of its own
/// reads and writes.
class state_keeper final : sink {
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

  /// Takes what is there at once, where no other process has the file. The thread then writes
  /// it, so that a file that can't be written is reported at the start. `failures` counts
  /// writes that failed, and those that were due while another process had the file. Both must
  /// outlive this.
  state_keeper(settings with, live_digest& digest, std::atomic<std::uint64_t>& failures);
  ~state_keeper() override;  ///< closes

  [[nodiscard]] sink_thread& as_sink() noexcept { return thread_; }

  /// Writes what there is, and ends the thread. Where another process still has the file, waits
  /// for it for a moment.
  void close();

 private:
  outcome turn(bool is_last) override;
  [[nodiscard]] bool take_over();
  void read();
  static void tell_of(const state_file::content& found);
  [[nodiscard]] outcome write();
  [[nodiscard]] outcome held();

  settings settings_;
  live_digest& digest_;
  state_file file_;
  net::unique_fd lock_;                       // open from the start
  bool is_ours_ = false;                      // the thread's own, but for the start
  std::optional<state_file::content> found_;  // what is left to be added of it; as is_ours_
  // When to report next that another process has the file.
  clock::time_point report_at_;
  sink_thread thread_;
};

/// As the options say. `is_successor`: a predecessor may have the file until it has drained.
[[nodiscard]] state_keeper::settings state_settings_of(const config::options& from,
                                                       condition_board& conditions,
                                                       bool is_successor);

}  // namespace scattergate::telemetry
