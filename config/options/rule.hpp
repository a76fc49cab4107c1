#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/options/match_conditions.hpp"
#include "text/days.hpp"

namespace scattergate::config {

/// A rule's action on the commands that it matches.
enum class rule_action : std::uint8_t { observe, accept, throttle, reject };

/// The limits of a rule that throttles. They apply to all its commands together.
struct throttle_limits {
  /// Maximum of `rate`, `burst` and `concurrency`.
  static constexpr std::uint32_t most = 1'000'000;
  static constexpr std::uint32_t longest_queue = 10'000;
  static constexpr std::chrono::minutes longest_wait{1};

  std::uint32_t rate = 0;  ///< commands per `per`; 0: unlimited
  std::chrono::seconds per{1};
  std::uint32_t burst = 0;                ///< commands that may pass at once after a pause
  std::uint32_t concurrency = 0;          ///< commands in flight; 0: unlimited
  std::uint32_t queue = 100;              ///< commands that may wait
  std::chrono::milliseconds wait{2'000};  ///< maximum time that a command waits
  friend bool operator==(const throttle_limits&, const throttle_limits&) = default;
};

/// The place where an entry was written, for people: "scattergate.yaml:12". All places compare
/// equal, so that comparisons of rules ignore them.
struct written_at {
  std::string where;
  friend bool operator==(const written_at&, const written_at&) noexcept { return true; }
};

/// One rule of the policy. The first rule that matches a command decides.
struct rule {
  std::string name;
  rule_match match;
  rule_action action = rule_action::observe;
  std::string why;                   ///< the reason for the rule, for people
  std::string by;                    ///< who wrote the rule, for people
  std::optional<text::day> until{};  ///< the last day on which the rule applies, in UTC; empty:
                                     ///< forever
  throttle_limits throttle{};        ///< valid if `action` is throttle
  bool dry_run = false;              ///< whether the rule only counts what it would do
  written_at written{};
  friend bool operator==(const rule&, const rule&) = default;
};

/// Parses "50/s", "10/m" or "3/h" into `rate` and `per` of throttle_limits; false if malformed.
[[nodiscard]] bool parse_rate(std::string_view text, throttle_limits& to) noexcept;
/// Formats the rate as parse_rate() reads it.
[[nodiscard]] std::string show_rate(const throttle_limits& limits);

[[nodiscard]] std::string_view label(rule_action action) noexcept;
/// The action with this label; std::nullopt if there is none.
[[nodiscard]] std::optional<rule_action> action_labelled(std::string_view label) noexcept;

}  // namespace scattergate::config
