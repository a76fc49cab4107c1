#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/options/match_conditions.hpp"
#include "text/time_text.hpp"

namespace scattergate::config {

/// A rule's action on the commands that it matches. observe: report a finding. accept: count a
/// finding as intended. throttle: limit the rate or the concurrency. reject: answer with an
/// error.
enum class rule_action : std::uint8_t { observe, accept, throttle, reject };

/// The limits of a rule that throttles. They apply to all commands of the rule together, over
/// all workers.
struct throttle_limits {
  /// Maximum of `rate`, `burst` and `concurrency`.
  static constexpr std::uint32_t most = 1'000'000;
  static constexpr std::uint32_t longest_queue = 10'000;  ///< maximum of `queue`
  static constexpr std::chrono::minutes longest_wait{1};  ///< maximum of `wait`

  std::uint32_t rate = 0;       ///< commands per `per`; 0: unlimited
  std::chrono::seconds per{1};  ///< the period of `rate`
  std::uint32_t burst = 0;      ///< maximum number of commands that pass at once after a pause
  std::uint32_t concurrency = 0;          ///< commands that may run at once; 0: unlimited
  std::uint32_t queue = 100;              ///< maximum number of commands that wait
  std::chrono::milliseconds wait{2'000};  ///< maximum time that a command waits
  friend bool operator==(const throttle_limits&, const throttle_limits&) = default;
};

/// The place where a rule was written, for people: "scattergate.yaml:12". All places compare
/// equal, so that comparisons of rules ignore them.
struct written_at {
  std::string place;
  friend bool operator==(const written_at&, const written_at&) noexcept { return true; }
};

/// One rule of the policy, which decides what the proxy does with a command. The first rule
/// that matches a command decides.
struct rule {
  std::string name;                           ///< identifies the rule in metrics and logs
  rule_match match;                           ///< the conditions
  rule_action action = rule_action::observe;  ///< what to do with matching commands
  std::string why;                            ///< the reason for the rule, for people
  std::string by;                             ///< who wrote the rule, for people
  std::optional<text::day> until{};  ///< the last day on which the rule applies, in UTC; empty:
                                     ///< forever
  throttle_limits throttle{};        ///< the limits; valid if `action` is throttle
  bool dry_run = false;  ///< whether the rule only counts commands, and has no effect on them
  written_at written{};  ///< where the rule is in the configuration
  friend bool operator==(const rule&, const rule&) = default;
};

/// Parses a rate such as "50/s", "10/m" or "3/h" into `rate` and `per` of `to`. Returns false
/// if malformed.
[[nodiscard]] bool parse_rate(std::string_view text, throttle_limits& to) noexcept;
/// Formats the rate as parse_rate() reads it.
[[nodiscard]] std::string show_rate(const throttle_limits& limits);

/// The action's name in the configuration.
[[nodiscard]] std::string_view label(rule_action action) noexcept;
/// The action with this name; std::nullopt if no action has it.
[[nodiscard]] std::optional<rule_action> action_labelled(std::string_view label) noexcept;

}  // namespace scattergate::config
