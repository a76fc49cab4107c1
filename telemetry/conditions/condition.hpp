#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {

/// The kinds of conditions. A condition is a problem of the daemon that begins and ends, and is
/// shown in the log, in the API and on the page. docs/log.md describes each kind.
enum class condition_kind : std::uint8_t {
  upstream_unreachable,  ///< a listener can connect to no mongos
  upstream_failing,      ///< a mongos fails its health checks
  upstream_tls_failing,  ///< the TLS handshake with a mongos fails
  limit_reached,  ///< a limit on connections, memory, file descriptors or the like is reached
  wire_errors,    ///< a peer sends data that isn't the wire protocol
  tls_failures,   ///< the TLS handshake with clients fails
  unknown_sections,      ///< a rule rejects messages with kinds of sections that this version
                         ///< doesn't know
  audit_failing,         ///< the audit log can't be written
  catalog_failing,       ///< the catalog can't be read from the cluster
  reload_failed,         ///< the configuration can't be reloaded
  settings_ignored,      ///< a changed setting needs a restart, so a reload doesn't apply it
  state_failing,         ///< the state file can't be written
  certificate_expired,   ///< a TLS certificate of a listener has expired
  certificate_expiring,  ///< a TLS certificate of a listener expires soon
  fleet_failing,         ///< the fleet's database can't be reached or written
  fleet_name_taken,      ///< another daemon holds this daemon's fleet.name
  state_late,            ///< a write of the state file took longer than state.interval permits
};
/// The kind's name in metrics and JSON.
[[nodiscard]] std::string_view label(condition_kind kind) noexcept;

/// Identifies a condition among the conditions of one kind. A view: both texts must outlive
/// this object.
struct condition_subject {
  // NOLINTNEXTLINE(google-explicit-constructor): most subjects are a name only
  template <std::convertible_to<std::string_view> Text>
  condition_subject(const Text& text) : name(text) {}
  condition_subject(std::string_view of, std::string_view at) : name(of), listener(at) {}

  std::string_view name;        ///< the mongos, limit, file, setting or peer with the problem
  std::string_view listener{};  ///< address of the listener concerned; empty: none, or unknown
};

/// One condition: active, or ended within the last hour.
struct condition {
  using time_point = std::chrono::system_clock::time_point;

  condition_kind kind{};
  std::string subject;   ///< the mongos, limit, file, setting or peer with the problem
  std::string listener;  ///< address of the listener concerned; empty: none, or unknown
  std::string detail;    ///< the latest reason, such as the text of an errno or OpenSSL's error
  time_point since;      ///< when the condition began
  time_point last;       ///< when the condition last occurred
  std::uint64_t count = 0;  ///< occurrences since `since`
  bool active = false;      ///< false: the condition has ended
};

/// One log line of a condition kind.
struct condition_line {
  log::severity severity{};  ///< also orders conditions on the page
  log::component component{};
  std::int32_t id = 0;  ///< the message's stable identifier
  std::string_view message;
};

/// The fixed properties of a condition kind.
struct condition_rules {
  condition_kind kind{};
  std::string_view label;  ///< the kind's name in metrics and JSON
  condition_line begins;   ///< the line when the condition begins; `begins.id` also identifies
                           ///< the kind in the API and on the page
  condition_line ends;     ///< the line when the condition ends
  std::string_view what_to_do;  ///< advice for operators, one sentence
  std::string_view runbook;     ///< the anchor of the kind's section in docs/runbook.md
  /// The condition ends after this time without recurrence. 0: only condition_board::clear()
  /// or clear_all_but() ends it.
  std::chrono::seconds lapse{0};
  /// The minimum time between two lines of an active condition with the same reason; a changed
  /// reason is logged sooner. 0: every occurrence is logged, because only an operator can cause
  /// it.
  std::chrono::seconds pause{60};
};
/// The fixed properties of this kind.
[[nodiscard]] const condition_rules& rules_of(condition_kind kind) noexcept;

/// Which log line to write: for a condition that begins, continues or ends.
enum class condition_phase : std::uint8_t { begins, goes_on, ends };

/// Writes the line for this phase to the log.
void log_condition(const condition& of, condition_phase phase);

}  // namespace scattergate::telemetry
