#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/network.hpp"
#include "routing/command_kind.hpp"
#include "routing/verdict.hpp"
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

/// How many shards a command reaches: `least` to `most` of them.
struct fanout_range {
  static constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t least = 0;
  std::uint32_t most = any;

  [[nodiscard]] bool holds(std::size_t shards) const noexcept {
    return least <= shards && shards <= most;
  }
  friend bool operator==(const fanout_range&, const fanout_range&) = default;
};

/// What a rule looks at. A field that isn't given matches everything; all that are given must
/// match.
struct rule_match {
  std::string name_space;  ///< glob (`*`, `?`) over "db.collection"
  std::optional<routing::command_kind> command;
  std::optional<routing::routing_class> routing;
  std::vector<std::string> missing;      ///< exactly these key fields, in any order
  std::optional<std::uint64_t> shape;    ///< shape hash
  std::string app;                       ///< appName, exact
  std::string user;                      ///< exact
  std::string comment;                   ///< glob over the text of `comment`
  std::vector<net::network> remote{};    ///< the client's address is in one of them
  std::optional<fanout_range> fanout{};  ///< a fan-out that isn't known is in none
  /// MongoDB's own hash of the shape is one of these, in upper case; one that isn't certain is
  /// none (routing/words/query_shape_hash.hpp).
  std::vector<std::string> query_shapes{};
  friend bool operator==(const rule_match&, const rule_match&) = default;
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

/// ">=4", "<2", "3": nothing where it is no comparison, or one that nothing can pass.
[[nodiscard]] std::optional<fanout_range> parse_fanout(std::string_view text) noexcept;
[[nodiscard]] std::string show_fanout(const fanout_range& range);

/// The 64 hex digits of a queryShapeHash, as MongoDB prints them; nothing where it is none.
[[nodiscard]] std::optional<std::string> parse_query_shape(std::string_view text);

/// "50/s", "10/m", "3/h" as `rate` and `per` of throttle_limits; false where it is none.
[[nodiscard]] bool parse_rate(std::string_view text, throttle_limits& to) noexcept;
[[nodiscard]] std::string show_rate(const throttle_limits& limits);

[[nodiscard]] std::string_view label(rule_action action) noexcept;
/// The action of this label; nothing where none has it.
[[nodiscard]] std::optional<rule_action> action_labelled(std::string_view label) noexcept;

}  // namespace scattergate::config
