#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/shapes/shape_details.hpp"
#include "text/problem.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::telemetry {

/// The outcome of a command.
enum class tapped_end : std::uint8_t {
  ok,          ///< mongos replied without an error
  error,       ///< mongos replied with an error
  rejected,    ///< scattergate replied with an error
  unanswered,  ///< no reply was requested, or no reply came
  unread,      ///< the reply couldn't be parsed
};
/// The outcome's name in JSON.
[[nodiscard]] std::string_view label(tapped_end end) noexcept;

/// A completed command for the listeners of /api/v1/tap, with its shape (the command without
/// values) and its outcome. Creating or moving it doesn't allocate.
struct tapped_command {
  /// The maximum size of an application name, in bytes; drivers enforce it, too. Longer names
  /// are truncated.
  static constexpr std::size_t max_app = 128;

  std::chrono::steady_clock::time_point at;  ///< when the command completed
  std::chrono::nanoseconds duration{0};      ///< from the command to its reply
  /// The description of the entry of shape_table in which the command was counted, usually the
  /// entry of its own shape.
  std::shared_ptr<const shape_details> details;
  std::uint64_t shape_hash = 0;  ///< 0: unknown
  wire::trace_id trace;          ///< the client's trace; unset: none
  routing::command_kind command{};
  routing::routing_class routing{};
  routing::cause why;                     ///< the cause, if the command is a finding
  std::optional<finding_action> action;   ///< how rules treated the finding; empty: no finding
  std::optional<finding_action> dry_run;  ///< would_reject or would_throttle, if a rule with
                                          ///< dry_run would have done it; empty: none
  std::optional<std::uint32_t> shards;    ///< number of shards asked; empty: unknown
  tapped_end end{};                       ///< the outcome
  std::int32_t code = 0;                  ///< MongoDB's error code of the reply; 0: none
  std::array<char, max_app> app_bytes{};
  std::uint8_t app_size = 0;

  /// Sets the client's application name.
  void set_app(std::string_view name) noexcept {
    app_size = static_cast<std::uint8_t>(std::min(name.size(), max_app));
    std::copy_n(name.begin(), app_size, app_bytes.begin());
  }
  /// The client's application name; empty: none.
  [[nodiscard]] std::string_view app() const noexcept { return {app_bytes.data(), app_size}; }

  /// "database.collection"; empty if the command was counted in an entry shared by many
  /// shapes.
  [[nodiscard]] std::string name_space() const;
};

/// One moment by both clocks.
struct both_clocks {
  std::chrono::steady_clock::time_point steady;
  std::chrono::system_clock::time_point wall;
};
/// Formats the command as JSON, the data of an event (docs/openapi.yaml: tapped). `now`: the
/// current time by both clocks, to convert steady times to wall-clock times.
[[nodiscard]] std::string tapped_json(const tapped_command& of, const both_clocks& now);

/// The categories of commands that the tap's listeners (clients of /api/v1/tap) receive. Each
/// routing class has two categories: findings (commands to report, such as scatters), and other
/// commands. Thread-safety: immutable.
class tap_interest {
 public:
  constexpr tap_interest() noexcept = default;  ///< the empty set

  /// The set with one category.
  [[nodiscard]] static constexpr tap_interest in(routing::routing_class routing,
                                                 bool is_finding) noexcept {
    const auto place = static_cast<unsigned>(routing) * 2 + (is_finding ? 1U : 0U);
    return tap_interest{std::uint32_t{1} << place};
  }
  /// Whether the set is empty.
  [[nodiscard]] constexpr bool is_nothing() const noexcept { return bits_ == 0; }
  /// The union of both sets.
  [[nodiscard]] constexpr tap_interest operator|(tap_interest other) const noexcept {
    return tap_interest{bits_ | other.bits_};
  }
  /// Whether both sets have a category in common.
  [[nodiscard]] constexpr bool is_shared_with(tap_interest other) const noexcept {
    return (bits_ & other.bits_) != 0;
  }

 private:
  constexpr explicit tap_interest(std::uint32_t bits) noexcept : bits_(bits) {}

  std::uint32_t bits_ = 0;
};
static_assert(routing::routing_class_count * 2 <= 32);

/// A bounded buffer of completed commands, which workers fill and tap_feed drains for the
/// listeners of /api/v1/tap. The number of commands per second is limited. Workers neither
/// wait nor allocate; a command that finds no room is dropped and counted. Part of the room is
/// reserved for findings and scatter-gathers. Thread-safety: any thread; call listen(),
/// drain_into(), grant() and end() from one thread at a time (tap_feed's).
class live_tap {
 public:
  static constexpr std::size_t capacity = 1000;      ///< the maximum number of waiting commands
  static constexpr std::size_t per_second = 1000;    ///< commands admitted per second, on
                                                     ///< average
  static constexpr std::size_t kept_for_rare = 250;  ///< room for findings and scatter-gathers
                                                     ///< only

  /// Enables or disables the tap (admin.tap). Initially the tap is disabled.
  void allow(bool is_allowed) noexcept { is_allowed_.store(is_allowed); }
  [[nodiscard]] bool is_allowed() const noexcept { return is_allowed_.load(); }

  /// Whether a listener receives commands of this category. Workers call it for each command;
  /// costs one relaxed load.
  [[nodiscard]] bool has_listener_for(routing::routing_class routing,
                                      bool is_finding) const noexcept {
    const tap_interest interest = interest_.load(std::memory_order_relaxed);
    return !interest.is_nothing() &&
           interest.is_shared_with(tap_interest::in(routing, is_finding));
  }

  /// Reserves room for one command. If there is no room, counts the command as dropped and
  /// returns false.
  [[nodiscard]] bool admit(routing::routing_class routing, bool is_finding) noexcept;
  /// Adds a command for which admit() returned true. If another thread holds the lock or the
  /// buffer is full, drops the command and counts it as dropped. Doesn't allocate.
  void push(tapped_command command) noexcept;

  /// Starts collecting commands of these categories, or changes the categories.
  void listen(tap_interest interest);
  /// Stops collecting and discards all waiting commands.
  void end() noexcept;
  /// Replaces the contents of `into` by the commands added since the last call.
  void drain_into(std::vector<tapped_command>& into);
  /// Adds room for `more` commands, up to `capacity` in total. tap_feed calls it regularly, so
  /// that workers can add `per_second` commands per second on average.
  void grant(std::size_t more) noexcept;

  /// The number of commands of the listeners' categories that admit() and push() have dropped.
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(std::memory_order_relaxed);
  }
  /// The number of listeners, for metrics. tap_feed sets it by set_listeners().
  [[nodiscard]] std::size_t listeners() const noexcept { return listeners_.load(); }
  /// Sets the number that listeners() returns.
  void set_listeners(std::size_t count) noexcept { listeners_.store(count); }

 private:
  std::atomic<tap_interest> interest_{tap_interest{}};
  std::atomic<bool> is_allowed_{false};
  std::atomic<std::size_t> listeners_{0};
  std::atomic<std::size_t> room_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::mutex mutex_;
  std::vector<tapped_command> waiting_;  // guarded by mutex_; has capacity for `capacity` or
                                         // for none
};

/// The filter of one listener of the tap (the stream of commands at /api/v1/tap). By default,
/// it accepts all commands. Thread-safety: immutable.
struct tap_filter {
  std::string name_space;  ///< a glob for "database.collection"; empty: all
  std::optional<routing::routing_class> routing;  ///< only commands of this class; empty: all
  bool is_findings = false;                       ///< findings (commands to report) only

  /// The categories to which accepted commands may belong, for live_tap::listen().
  [[nodiscard]] tap_interest interest() const noexcept;
  /// Whether the filter accepts this command.
  [[nodiscard]] bool accepts(const tapped_command& one) const;
};

/// Parses a filter from a request target's query: `namespace=GLOB`, `routing=CLASS`,
/// `findings=1`. Returns a problem for other parameters, repeated ones and invalid values.
[[nodiscard]] text::result<tap_filter> tap_filter_of(std::string_view target);

}  // namespace scattergate::telemetry
