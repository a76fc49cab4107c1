#include "telemetry/admin/health.hpp"

#include <algorithm>
#include <array>

#include "digest/number_text.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

using digest::with_commas;

constexpr wire::label_table<listener_state> state_labels{{
    {listener_state::ok, "ok"},
    {listener_state::failing_over, "failing over"},
    {listener_state::silent, "no replies"},
    {listener_state::down, "down"},
}};

constexpr wire::label_table<headline_level> level_labels{{
    {headline_level::ok, "ok"},
    {headline_level::warning, "warning"},
    {headline_level::scattering, "scattering"},
    {headline_level::degraded, "degraded"},
    {headline_level::down, "down"},
}};

/// The maximum number of listeners that a headline names; it counts the others.
constexpr std::size_t most_named = 3;

/// A headline doesn't mention clients that have waited less than this while no command
/// succeeded.
constexpr std::int64_t long_silence_millis = 10'000;

bool is_error(const condition& of) {
  return of.active && rules_of(of.kind).begins.severity >= log::severity::error;
}

/// Whether a condition means that its listener's clients aren't served, unless a mongos passes
/// its health check.
bool stops_clients(const condition& of) {
  return of.active && (of.kind == condition_kind::upstream_unreachable ||
                       of.kind == condition_kind::upstream_tls_failing);
}

bool has_tls_failure(const std::vector<condition>& conditions, std::string_view listener) {
  return std::ranges::any_of(conditions, [&](const condition& one) {
    return one.active && one.kind == condition_kind::upstream_tls_failing &&
           one.listener == listener;
  });
}

/// "mongos down"; names the listeners if there are several.
headline down_headline(const std::vector<listener_at>& listeners,
                       const std::vector<condition>& conditions) {
  std::vector<std::string_view> down;
  for (const listener_at& each : listeners) {
    if (each.state == listener_state::down) down.push_back(each.address);
  }
  const bool is_tls = std::ranges::all_of(
      down, [&](std::string_view each) { return has_tls_failure(conditions, each); });
  std::string text = is_tls ? "TLS to mongos fails" : "mongos down";
  if (listeners.size() == 1) return {headline_level::down, text};
  for (std::size_t i = 0; i < std::min(down.size(), most_named); ++i) {
    text += (i == 0 ? " behind " : ", ") + std::string{down[i]};
  }
  if (down.size() > most_named) {
    text += " and " + with_commas(down.size() - most_named) + " more";
  }
  return {headline_level::down, text};
}

/// "2 clients wait for a reply, the longest for 12 s"; empty if commands succeed meanwhile, so
/// that only slow queries wait.
std::string waits_text(const std::vector<listener_at>& listeners) {
  std::uint64_t clients = 0;
  std::int64_t longest = 0;
  for (const listener_at& each : listeners) {
    if (each.silence_millis < long_silence_millis) continue;
    clients += each.clients_waiting;
    longest = std::max(longest, each.longest_wait_millis);
  }
  if (clients == 0) return {};
  return with_commas(clients) + (clients == 1 ? " client waits" : " clients wait") +
         " for a reply, the longest for " + std::to_string(longest / 1000) + " s";
}

/// The most severe condition, without the part of its message after the semicolon.
headline degraded_headline(const std::vector<listener_at>& listeners,
                           const std::vector<condition>& conditions) {
  const auto first = std::ranges::find_if(conditions, is_error);
  const std::string_view message = rules_of(first->kind).begins.message;
  std::string text{message.substr(0, message.find(';'))};
  const auto others = std::ranges::count_if(conditions, is_error) - 1;
  if (others != 0) {
    text += ", and " + with_commas(static_cast<std::uint64_t>(others)) +
            (others == 1 ? " more error" : " more errors");
  }
  if (const std::string waits = waits_text(listeners); !waits.empty()) text += "; " + waits;
  return {headline_level::degraded, text};
}

/// "57 %"; a share above zero is never shown as 0.
std::string share_text(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t percent = (200 * part + whole) / (2 * whole);
  return 100 * part < whole ? "<1 %" : std::to_string(percent) + " %";
}

/// "Refusing 40 %, scattering 17 %, other findings 1 %".
headline findings_headline(const command_counts& minute) {
  const std::uint64_t refused = minute.of[command_counts::refused];
  const std::uint64_t scattering = minute.of[command_counts::scattering];
  const std::uint64_t others = minute.of[command_counts::findings] - refused - scattering;
  std::string text;
  const auto add = [&](std::string_view first, std::string_view later, std::uint64_t part) {
    if (part == 0) return;
    text += (text.empty() ? std::string{first} : ", " + std::string{later}) + " " +
            share_text(part, minute.commands());
  };
  add("Refusing", "refusing", refused);
  add("Scattering", "scattering", scattering);
  add("Other findings", "other findings", others);
  return {scattering != 0 ? headline_level::scattering : headline_level::warning, text};
}

headline ok_headline(const std::vector<listener_at>& listeners,
                     const std::vector<condition>& conditions) {
  const auto warnings = std::ranges::count_if(conditions, &condition::active);
  const std::string waits = waits_text(listeners);
  std::string text = waits.empty() ? "OK" : waits;
  if (warnings != 0) {
    text += ", " + with_commas(static_cast<std::uint64_t>(warnings)) +
            (warnings == 1 ? " warning" : " warnings");
  }
  const bool is_ok = warnings == 0 && waits.empty();
  return {is_ok ? headline_level::ok : headline_level::warning, text};
}

}  // namespace

std::string_view label(listener_state state) noexcept {
  return state_labels[state];
}

std::string_view label(headline_level level) noexcept {
  return level_labels[level];
}

listener_state state_of(const listener_facts& of, const std::vector<condition>& conditions) {
  std::array<std::uint64_t, wire::enum_count<upstream_health>()> found{};
  bool is_left = false;    // a mongos in use fails its health checks
  bool is_served = false;  // a mongos in use doesn't
  const auto is_failing = [](upstream_health one) {
    return one == upstream_health::down || one == upstream_health::silent;
  };
  const auto count = [&](upstream_health health, bool is_active) {
    ++found[static_cast<std::size_t>(health)];
    if (is_active) (is_failing(health) ? is_left : is_served) = true;
  };
  for (const upstream_entry& each : of.upstreams()) {
    if (each.addresses.empty()) count(each.health(), false);
    for (const auto& one : each.addresses) count(one->health.load(), one->is_active.load());
  }
  const auto in = [&found](upstream_health one) {
    return found[static_cast<std::size_t>(one)];
  };
  const bool is_stopped = std::ranges::any_of(conditions, [&](const condition& one) {
    return stops_clients(one) && one.listener == of.address;
  });
  using enum upstream_health;
  if (is_stopped && in(up) + in(silent) == 0) return listener_state::down;
  if (in(down) + in(silent) == 0) return listener_state::ok;
  if (in(up) + in(unknown) == 0) {
    return in(silent) != 0 ? listener_state::silent : listener_state::down;
  }
  return is_left && !is_served ? listener_state::failing_over : listener_state::ok;
}

std::string unserved_reason(const listener_facts& of,
                            const std::vector<condition>& conditions) {
  const auto reason = [&](std::string_view what) {
    return std::string{what} + ", behind " + of.address;
  };
  const listener_state state = state_of(of, conditions);
  if (state == listener_state::down) return reason("no mongos answers");
  if (state == listener_state::silent) return reason("no mongos answers commands");
  const bool is_one_up = std::ranges::any_of(of.upstreams(), [](const upstream_entry& one) {
    return one.health() == upstream_health::up;
  });
  if (of.has_checks && !is_one_up) return reason("no mongos has passed a health check yet");
  return {};
}

headline headline_of(const std::vector<listener_at>& listeners, std::string_view unready_reason,
                     const std::vector<condition>& conditions, const command_counts& minute) {
  const bool is_down = std::ranges::any_of(
      listeners, [](const listener_at& each) { return each.state == listener_state::down; });
  if (is_down) return down_headline(listeners, conditions);
  if (!unready_reason.empty()) {
    return {headline_level::down, "Not ready: " + std::string{unready_reason}};
  }
  if (std::ranges::any_of(conditions, is_error))
    return degraded_headline(listeners, conditions);
  const bool is_off = std::ranges::any_of(conditions, [](const condition& one) {
    return one.active && one.kind == condition_kind::inspection_off;
  });
  if (is_off) {
    return {headline_level::warning,
            "Inspection is off: no command is judged, and no rule applies"};
  }
  if (minute.of[command_counts::findings] != 0) return findings_headline(minute);
  return ok_headline(listeners, conditions);
}

}  // namespace scattergate::telemetry
