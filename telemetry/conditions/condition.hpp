#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "telemetry/log/log.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {

/// The kinds of conditions. A condition is a problem of the daemon that begins and ends. The
/// log, the API and the page show it. docs/log.md describes each kind.
enum class condition_kind : std::uint8_t {
  upstream_unreachable,   ///< a listener can connect to no mongos
  upstream_failing,       ///< a mongos fails its health checks
  upstream_silent,        ///< a mongos answers hellos, but not its clients' commands
  upstream_tls_failing,   ///< the TLS handshake with a mongos fails
  limit_reached,          ///< another limit is reached, for example on memory
  clients_refused,        ///< new clients can't connect: limits.connections are open, or file
                          ///< descriptors have run out
  wire_errors,            ///< a peer sends data that isn't the wire protocol
  tls_failures,           ///< the TLS handshake with clients fails
  unknown_sections,       ///< a rule rejects messages with kinds of sections that this version
                          ///< doesn't know
  audit_failing,          ///< the audit log can't be written
  catalog_failing,        ///< the catalog can't be read from the cluster
  collection_unreadable,  ///< a collection of the catalog can't be read
  reload_failed,          ///< the configuration can't be reloaded
  settings_ignored,  ///< a reload doesn't apply a changed setting, because the setting needs a
                     ///< restart
  state_failing,     ///< the state file can't be written
  certificate_expired,   ///< a TLS certificate of a listener has expired
  certificate_expiring,  ///< a TLS certificate of a listener expires soon
  fleet_failing,         ///< the fleet's database can't be reached or written
  fleet_name_taken,      ///< another daemon holds this daemon's fleet.name
  driver_failing,  ///< the process that runs the MongoDB driver crashes, hangs or needs too
                   ///< much memory
  state_late,      ///< a write of the state file took longer than state.interval permits
  catalog_stale,   ///< the live catalog was last read more than five times catalog.refresh ago
  fleet_stale,     ///< the fleet's database last acknowledged this daemon's counts more than
                   ///< five times fleet.interval ago
  inspection_off,  ///< the option inspect is off: no command is judged, and no rule applies
  state_damaged,   ///< a damaged state file, or a copy of it, was set aside within a day
  log_failing,     ///< the operational log can't be written
};
inline constexpr std::size_t condition_kind_count = wire::enum_count<condition_kind>();
/// The kind's name in metrics and JSON.
[[nodiscard]] std::string_view label(condition_kind kind) noexcept;
/// The severity of the kind's first log line, as its name in metrics and JSON: "warning".
[[nodiscard]] std::string_view severity_label(condition_kind kind) noexcept;

/// What a condition is about: tells it apart from other conditions of the same kind. A view:
/// both texts must outlive this object.
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
  std::string detail;    ///< the latest reason, such as the text of an errno or of an OpenSSL
                         ///< error
  time_point since;      ///< when the condition began
  time_point last;       ///< when the condition last occurred, or was cleared
  std::uint64_t count = 0;  ///< occurrences since `since`
  bool active = false;      ///< false: the condition has ended
};

/// The log line for the beginning, or for the end, of a condition of one kind.
struct condition_line {
  log::severity severity{};  ///< also orders conditions on the page
  log::component component{};
  std::int32_t id = 0;  ///< the message's stable identifier
  std::string_view message;
};

/// The fixed properties of a condition kind: its texts, and when it is logged and ends.
struct condition_rules {
  condition_kind kind{};
  std::string_view label;  ///< the kind's name in metrics and JSON
  condition_line begins;   ///< the line when the condition begins, and when it is logged again;
                           ///< `begins.id` also identifies the kind in the API and on the page
  condition_line ends;     ///< the line when the condition ends
  std::string_view what_to_do;  ///< advice for operators, one sentence
  std::string_view runbook;     ///< the anchor of the kind's section in docs/runbook.md
  /// The condition ends by itself after this time without recurrence. 0: it ends only by
  /// condition_board::clear() or clear_all_but().
  std::chrono::seconds lapse{0};
  /// The minimum time between two log lines of an active condition. If the reason has changed,
  /// 5 s suffice. 0: every occurrence is logged, because only an operator can cause it.
  std::chrono::seconds pause{60};
};
/// Returns the fixed properties of this kind.
[[nodiscard]] const condition_rules& rules_of(condition_kind kind) noexcept;

/// At which point of a condition a log line is written: when it begins, continues or ends.
enum class condition_phase : std::uint8_t { begins, goes_on, ends };

/// Writes the condition's log line for this phase.
void log_condition(const condition& of, condition_phase phase);

}  // namespace scattergate::telemetry
