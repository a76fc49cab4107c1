#pragma once

#include <atomic>
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

/// What is wrong right now. Each condition is logged at once when it begins, then at most once
/// a minute while it goes on (a new cause after five seconds), and when it ends; one that comes
/// and goes has at most ten lines a minute. Of each kind so many subjects are kept apart, and
/// the rest as one, so that no number of strangers fills it.
/// Thread-safety: any thread. Takes a lock and writes to the log: not for each command, nor for
/// each connection that goes well.
class condition_board {
 public:
  struct moment {
    std::chrono::steady_clock::time_point now;
    std::chrono::system_clock::time_point time;
  };
  using clock_source = std::function<moment()>;
  using line_writer = std::function<void(const condition&, condition_phase)>;

  /// By the clock of the system, into the log.
  condition_board();
  condition_board(clock_source clock, line_writer write);

  /// Of a kind, at once. Further ones count as the one subject `others`.
  static constexpr std::size_t most_subjects = 32;
  static constexpr std::string_view others = "others";

  /// It was met, `count` times since it was raised last.
  void raise(condition_kind kind, const condition_subject& subject, std::string_view detail,
             std::uint64_t count = 1);

  /// As raise(), for what lasts rather than is met again and again: it counts once.
  void hold(condition_kind kind, const condition_subject& subject, std::string_view detail);

  /// Ends it, where it is active.
  void clear(condition_kind kind, const condition_subject& subject);

  /// Ends all of a kind but those of these subjects.
  void clear_all_but(condition_kind kind, const std::vector<condition_subject>& subjects);

  /// Ends what has lapsed, logs what is due, and forgets what ended an hour ago. To be called
  /// about once a second.
  void tick();

  /// How often one has begun or ended so far.
  [[nodiscard]] std::uint64_t turns() const noexcept {
    return turns_.load(std::memory_order_relaxed);
  }

  /// All that are active, then those that ended within the hour; of each the gravest first, and
  /// of one severity the newest first.
  [[nodiscard]] std::vector<condition> snapshot() const;

 private:
  struct entry {
    condition what;
    std::chrono::steady_clock::time_point met;  // last
    std::chrono::steady_clock::time_point ended;
    std::chrono::steady_clock::time_point told;    // last, in the log
    std::chrono::steady_clock::time_point minute;  // in which `lines` were written
    int lines = 0;
    bool is_told_active = false;
    std::uint64_t told_count = 0;
    std::string told_detail;
  };
  struct key {
    condition_kind kind{};
    std::string subject;
    std::string listener;
    friend auto operator<=>(const key&, const key&) = default;
  };
  using told_line = std::pair<condition, condition_phase>;
  using told_lines = std::vector<told_line>;

  template <typename Change>
  void change(Change change);
  [[nodiscard]] static key key_of(condition_kind kind, const condition_subject& subject);
  entry& entry_of(condition_kind kind, const condition_subject& subject);
  entry* find_active(condition_kind kind, const condition_subject& subject);
  [[nodiscard]] std::size_t active_of(condition_kind kind) const;
  void meet(entry& of, std::string_view detail, std::uint64_t count, const moment& at);
  void end(entry& of, const moment& at);
  void make_room();
  static void tell(entry& of, const moment& at, told_lines& lines);

  clock_source clock_;
  line_writer write_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<key, entry> entries_;
  std::atomic<std::uint64_t> turns_{0};
};

}  // namespace scattergate::telemetry
