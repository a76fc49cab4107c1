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

/// The action that a rule took on a matching command (a hit); for a rule with dry_run, the
/// action that the rule would have taken.
enum class rule_hit : std::uint8_t {
  observed,
  accepted,
  throttled,  ///< the rule's limits applied to the command, whether or not they delayed it
  refused,    ///< the rule's limits applied, and the command got an error
  rejected,
  expired,  ///< the rule accepts, but has expired; if no later rule decides, the command is
            ///< observed
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

/// Identifies a rule by its name; stays the same at reloads.
using rule_id = std::uint32_t;

/// Assigns IDs to rules by name, up to `capacity`; rules beyond it share `__other__`. IDs
/// survive reloads. Thread-safety: any thread. Takes a mutex, so call it only on a reload or
/// for metrics.
class rule_registry {
 public:
  static constexpr rule_id other = 0;             ///< the ID of `__other__`
  static constexpr std::size_t capacity = 2'001;  ///< maximum number of IDs, including
                                                  ///< `__other__`

  /// The ID of the rule with this name, which is assigned if necessary; `other` if there is no
  /// room.
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
  std::string name;                                    ///< the rule's name
  std::array<std::uint64_t, rule_hit_count> by_hit{};  ///< by rule_hit
};

}  // namespace scattergate::telemetry
