#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/shapes/shape_details.hpp"
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

}  // namespace scattergate::telemetry
