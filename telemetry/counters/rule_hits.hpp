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

#include "telemetry/counters/cells.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {

/// What a rule did with a command that it matched (a hit). For a rule with dry_run, what the
/// rule would have done: would_...
enum class rule_hit : std::uint8_t {
  observed,
  accepted,
  throttled,  ///< the rule's limits were applied to the command, whether or not they delayed it
  refused,    ///< a throttled command was rejected; it counts as `throttled`, too
  rejected,
  expired,  ///< the rule accepts commands, but has expired; if no later rule decides, the
            ///< command is observed
  would_observe,
  would_accept,
  would_throttle,
  would_reject,
};
inline constexpr std::size_t rule_hit_count = wire::enum_count<rule_hit>();
/// The action's name in metrics and JSON.
[[nodiscard]] std::string_view label(rule_hit hit) noexcept;

/// One worker's counters of one rule's hits.
struct rule_cells {
  std::array<cell, rule_hit_count> by_hit;  ///< by rule_hit
};

/// Identifies a rule by a number that stays the same at reloads.
using rule_id = std::uint32_t;

/// Assigns IDs to rules by their names. An ID stays assigned to its name, also over reloads.
/// Rules beyond `capacity` share the ID of `__other__`. Thread-safety: any thread. Takes a
/// mutex, so call it only on a reload or for metrics.
class rule_registry {
 public:
  static constexpr rule_id other = 0;             ///< the ID of `__other__`
  static constexpr std::size_t capacity = 2'001;  ///< maximum number of IDs, including
                                                  ///< `__other__`

  /// The ID of the rule with this name. Assigns one if necessary; returns `other` if there is
  /// no room.
  [[nodiscard]] rule_id admit(std::string_view name);

  /// The rules' names in valid UTF-8; the index is the ID.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, rule_id, std::less<>> ids_{{"__other__", other}};
  std::vector<std::string> names_{"__other__"};
};

/// A rule's hits since the daemon started, summed over the workers.
struct rule_total {
  std::string name;                                    ///< the rule's name
  std::array<std::uint64_t, rule_hit_count> by_hit{};  ///< by rule_hit
};

}  // namespace scattergate::telemetry
