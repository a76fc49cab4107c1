#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/options/match_conditions.hpp"
#include "text/days.hpp"

namespace scattergate::config {

/// What a rule does with the commands it matches.
enum class rule_action : std::uint8_t { observe, accept, throttle, reject };

/// What a rule that throttles holds its commands to, all of them together.
struct throttle_limits {
  static constexpr std::uint32_t most = 1'000'000;  ///< of commands, in any of these
  static constexpr std::uint32_t longest_queue = 10'000;
  static constexpr std::chrono::minutes longest_wait{1};

  std::uint32_t rate = 0;  ///< commands in each `per`; 0: any number
  std::chrono::seconds per{1};
  std::uint32_t burst = 0;                ///< of them at once, after a pause
  std::uint32_t concurrency = 0;          ///< under way at once; 0: any number
  std::uint32_t queue = 100;              ///< that wait at once
  std::chrono::milliseconds wait{2'000};  ///< of one of them, at most
  friend bool operator==(const throttle_limits&, const throttle_limits&) = default;
};

/// Where something is written, for people: "scattergate.yaml:12". What says the same is equal
/// wherever it stands.
struct written_at {
  std::string where;
  friend bool operator==(const written_at&, const written_at&) noexcept { return true; }
};

/// One line of the policy: the first rule that matches a command decides.
struct rule {
  std::string name;
  rule_match match;
  rule_action action = rule_action::observe;
  std::string why;
  std::string by;
  std::optional<text::day> until{};  ///< the last day, in UTC, on which it holds
  throttle_limits throttle{};        ///< of one that throttles
  bool dry_run = false;              ///< counted, and then as if it weren't there
  written_at written{};
  friend bool operator==(const rule&, const rule&) = default;
};

/// "50/s", "10/m", "3/h" as `rate` and `per` of throttle_limits; false where it is none.
[[nodiscard]] bool parse_rate(std::string_view text, throttle_limits& to) noexcept;
[[nodiscard]] std::string show_rate(const throttle_limits& limits);

[[nodiscard]] std::string_view label(rule_action action) noexcept;
/// The action of this label; nothing where none has it.
[[nodiscard]] std::optional<rule_action> action_labelled(std::string_view label) noexcept;

}  // namespace scattergate::config
