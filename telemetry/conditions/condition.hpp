#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {

/// What can be wrong: docs/log.md says what each means, and what to do.
enum class condition_kind : std::uint8_t {
  upstream_unreachable,  ///< no mongos of a listener can be connected to
  upstream_failing,      ///< a mongos fails its health checks
  upstream_tls_failing,  ///< TLS to a mongos can't be agreed on
  limit_reached,
  wire_errors,       ///< a peer sends what isn't the wire protocol
  tls_failures,      ///< TLS with a client can't be agreed on
  unknown_sections,  ///< a rule rejects messages of a kind newer than this scattergate
  audit_failing,
  catalog_failing,
  reload_failed,
  settings_ignored,  ///< a reload has brought a change that needs a restart
  state_failing,
  certificate_expired,
  certificate_expiring,
};
[[nodiscard]] std::string_view label(condition_kind kind) noexcept;

/// Which of a kind's conditions it is. A view.
struct condition_subject {
  // NOLINTNEXTLINE(google-explicit-constructor): most have a name alone
  template <std::convertible_to<std::string_view> Text>
  condition_subject(const Text& text) : name(text) {}
  condition_subject(std::string_view of, std::string_view at) : name(of), listener(at) {}

  std::string_view name;
  std::string_view listener{};  ///< its address; empty: none is concerned, or it isn't known
};

/// One thing that is wrong, or was until a moment ago.
struct condition {
  using time_point = std::chrono::system_clock::time_point;

  condition_kind kind{};
  std::string subject;   ///< which mongos, limit, file, setting or peer
  std::string listener;  ///< its address; empty: none is concerned, or it isn't known
  std::string detail;    ///< why, in errno's, the resolver's or OpenSSL's words; the latest
  time_point since;
  time_point last;          ///< when it was met last
  std::uint64_t count = 0;  ///< how often it was met since then
  bool active = false;
};

/// One line that the log has for a kind.
struct condition_line {
  log::severity severity{};
  log::component component{};
  std::int32_t id = 0;
  std::string_view message;
};

/// What is known of a kind beforehand.
struct condition_rules {
  condition_kind kind{};
  std::string_view label;
  condition_line begins;  ///< its id names the condition everywhere
  condition_line ends;
  std::string_view what_to_do;  ///< one sentence
  std::string_view runbook;     ///< the anchor of its section in docs/runbook.md
  /// It ends once it wasn't met for so long; 0: when a caller clears it.
  std::chrono::seconds lapse{0};
  /// Between two lines while it goes on; 0: each time has a line, as an operator caused it.
  std::chrono::seconds pause{60};
};
[[nodiscard]] const condition_rules& rules_of(condition_kind kind) noexcept;

/// Which of a condition's lines it is.
enum class condition_phase : std::uint8_t { begins, goes_on, ends };

/// Writes its line to the log.
void log_condition(const condition& of, condition_phase phase);

}  // namespace scattergate::telemetry
