#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/counters/cell.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::telemetry {

/// A rule's action on a matching command; for a rule with dry_run, the action that it would
/// have taken.
enum class rule_hit : std::uint8_t {
  observed,
  accepted,
  throttled,  ///< every command under the rule's rate limit, delayed or not
  refused,    ///< throttled commands that got an error
  rejected,
  expired,  ///< an expired accept rule; unless a later rule decides, the command is observed
  would_observe,
  would_accept,
  would_throttle,
  would_reject,
};
inline constexpr std::size_t rule_hit_count = wire::enum_count<rule_hit>();
[[nodiscard]] std::string_view label(rule_hit hit) noexcept;

/// The hits of one rule on one worker.
struct rule_cells {
  std::array<cell, rule_hit_count> by_hit;
};

/// Identifies a rule by name, also across reloads.
using rule_id = std::uint32_t;

/// Assigns IDs to rules by name, up to a cap; further ones share `__other__`. IDs survive
/// reloads. Thread-safety: any thread. Takes a mutex, so call it only on a reload or scrape.
class rule_registry {
 public:
  static constexpr rule_id other = 0;             ///< `__other__`
  static constexpr std::size_t capacity = 2'001;  ///< including `__other__`

  /// The ID of a rule's name, assigned if necessary; `other` if there is no room.
  [[nodiscard]] rule_id admit(std::string_view name);

  /// The rules' names by ID, in valid UTF-8.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, rule_id, std::less<>> ids_{{"__other__", other}};
  std::vector<std::string> names_{"__other__"};
};

/// A rule's hits since the daemon started, summed over the workers.
struct rule_total {
  std::string name;
  std::array<std::uint64_t, rule_hit_count> by_hit{};
};

}  // namespace scattergate::telemetry
