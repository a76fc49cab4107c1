#pragma once

#include <atomic>
#include <bitset>
#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "telemetry/conditions/condition.hpp"

namespace scattergate::telemetry {

/// Keeps the daemon's current problems ("conditions") for the API and the page, and logs them.
/// A condition has a kind and a subject, such as upstream_failing and the address of a mongos.
/// The number of subjects per kind is limited, so that clients can't fill the board.
///
/// Logs each condition when it begins and when it ends. Logs it again if it recurs: once per
/// minute, or after five seconds if its reason has changed. Writes at most ten lines per minute
/// for each condition. Kinds whose condition_rules::pause is 0 log every occurrence, without a
/// limit.
///
/// Takes a lock and may log, so don't call it for each command or successful connection.
/// Thread-safety: any thread.
class condition_board {
 public:
  /// One point in time, by both clocks.
  struct moment {
    std::chrono::steady_clock::time_point now;
    std::chrono::system_clock::time_point time;
  };
  using clock_source = std::function<moment()>;
  using line_writer = std::function<void(const condition&, condition_phase)>;

  /// Uses the system's clocks and the operational log.
  condition_board();
  /// For tests: reads the time from `clock`, and writes log lines by `write`.
  condition_board(clock_source clock, line_writer write);

  /// The maximum number of active subjects per kind. Once it is reached, further subjects of
  /// the kind are counted together, as the subject `others`. A subject that occurs more than
  /// twice as often as the rarest one takes its place.
  static constexpr std::size_t most_subjects = 32;
  static constexpr std::string_view others = "others";  ///< the name of the subject that stands
                                                        ///< for all those beyond most_subjects

  /// Reports that a problem occurred `count` times; does nothing if `count` is 0. Begins the
  /// condition if it isn't active. `detail`: the reason, for the log, the API and the page.
  void raise(condition_kind kind, const condition_subject& subject, std::string_view detail,
             std::uint64_t count = 1);

  /// Reports that a problem persists, for a caller that checks periodically. Begins the
  /// condition if it isn't active. Repeated calls with the same `detail` count as one
  /// occurrence.
  void hold(condition_kind kind, const condition_subject& subject, std::string_view detail);

  /// Ends a condition. If it isn't active, and the only active subject of the kind is `others`,
  /// ends that one, because it may include `subject`. Otherwise does nothing.
  void clear(condition_kind kind, const condition_subject& subject);

  /// Ends all active conditions of a kind except those of these subjects. If there are more
  /// than most_subjects of them, also keeps `others` active.
  void clear_all_but(condition_kind kind, const std::vector<condition_subject>& subjects);

  /// Ends conditions that haven't recurred for condition_rules::lapse, writes due log lines,
  /// and removes conditions that ended an hour ago. Call it about once per second.
  void tick();

  /// The number of times that any condition began or ended. Readers compare it with an earlier
  /// value to detect changes.
  [[nodiscard]] std::uint64_t turns() const noexcept {
    return turns_.load(std::memory_order_relaxed);
  }

  /// The kinds that have an active condition, by condition_kind.
  using kind_set = std::bitset<condition_kind_count>;
  [[nodiscard]] kind_set active_kinds() const;

  /// Returns the active conditions, then the conditions that ended within the last hour. Each
  /// group is sorted by severity, then newest first. If more than 200 have ended, the earliest
  /// ones may be missing.
  [[nodiscard]] std::vector<condition> snapshot() const;

 private:
  struct entry {
    condition what;
    std::chrono::steady_clock::time_point met;  // last occurrence
    std::chrono::steady_clock::time_point ended;
    std::chrono::steady_clock::time_point logged_at;  // last log line
    std::chrono::steady_clock::time_point minute;     // when `lines` began to count
    int lines = 0;
    bool is_logged_active = false;
    std::uint64_t logged_count = 0;
    std::string logged_detail;
  };
  struct key {
    condition_kind kind{};
    std::string subject;
    std::string listener;
    friend auto operator<=>(const key&, const key&) = default;
  };
  using due_line = std::pair<condition, condition_phase>;
  using due_lines = std::vector<due_line>;

  template <typename Change>
  void change(Change change);
  [[nodiscard]] static key key_of(condition_kind kind, const condition_subject& subject);
  entry& entry_of(condition_kind kind, const condition_subject& subject, std::uint64_t& count);
  [[nodiscard]] bool displaces(const key& name, std::uint64_t& count);
  entry* find_active(condition_kind kind, const condition_subject& subject);
  [[nodiscard]] std::size_t active_of(condition_kind kind) const;
  void meet(entry& of, std::string_view detail, std::uint64_t count, const moment& at);
  void end(entry& of, const moment& at);
  void make_room();
  static void add_due_line(entry& of, const moment& at, due_lines& lines);

  clock_source clock_;
  line_writer write_;
  mutable std::mutex mutex_;  // guards the members below
  std::map<key, entry> entries_;
  std::map<key, std::uint64_t> unlisted_;  // how often some of the `others` occurred
  std::atomic<std::uint64_t> turns_{0};
};

}  // namespace scattergate::telemetry
