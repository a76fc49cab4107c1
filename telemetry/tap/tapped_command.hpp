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
  ok,
  error,       ///< mongos replied with an error
  rejected,    ///< scattergate replied with an error
  unanswered,  ///< no reply was requested, or none came
  unread,      ///< the reply couldn't be parsed
};
[[nodiscard]] std::string_view label(tapped_end end) noexcept;

/// A completed command for the tap: its shape, without values. Creating or moving it doesn't
/// allocate.
struct tapped_command {
  /// The maximum size of an application name, in bytes; drivers enforce it, too. Longer names
  /// are truncated.
  static constexpr std::size_t max_app = 128;

  std::chrono::steady_clock::time_point at;  ///< when it completed
  std::chrono::nanoseconds duration{0};
  std::shared_ptr<const shape_details> details;  ///< the details of the place in which it was
                                                 ///< counted, usually that of its own shape
  std::uint64_t shape_hash = 0;                  ///< 0: unknown
  wire::trace_id trace;
  routing::command_kind command{};
  routing::routing_class routing{};
  routing::cause why;
  std::optional<finding_action> action;   ///< empty: no finding
  std::optional<finding_action> dry_run;  ///< what a rule in dry run would have done; empty: no
                                          ///< such rule
  std::optional<std::uint32_t> shards;    ///< number of shards asked; empty: unknown
  tapped_end end{};
  std::int32_t code = 0;  ///< the error reply's code
  std::array<char, max_app> app_bytes{};
  std::uint8_t app_size = 0;

  void set_app(std::string_view name) noexcept {
    app_size = static_cast<std::uint8_t>(std::min(name.size(), max_app));
    std::copy_n(name.begin(), app_size, app_bytes.begin());
  }
  [[nodiscard]] std::string_view app() const noexcept { return {app_bytes.data(), app_size}; }

  /// "database.collection"; empty if its shape has no place of its own.
  [[nodiscard]] std::string name_space() const;
};

/// One moment by both clocks.
struct both_clocks {
  std::chrono::steady_clock::time_point steady;
  std::chrono::system_clock::time_point wall;
};
/// Formats the data object of an event (docs/openapi.yaml: tapped). `now` converts steady times
/// to wall-clock times.
[[nodiscard]] std::string tapped_json(const tapped_command& of, const both_clocks& now);

}  // namespace scattergate::telemetry
