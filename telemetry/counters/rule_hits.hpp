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

/// What a rule did with a command that it matched, or would have done, were it no dry run.
enum class rule_hit : std::uint8_t {
  observed,
  accepted,
  throttled,  ///< every command that the rule held to its rate, at once let on or not
  refused,    ///< those of them that got an error for it
  rejected,
  expired,  ///< an accept that holds no more, and but for which the command is observed
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

/// Which rule is meant, by a number that its name keeps over reloads.
using rule_id = std::uint32_t;

/// The names of the rules since the start, up to a cap: what comes beyond shares one.
/// Thread-safety: any thread; a mutex, so asked only at a reload and at a scrape.
class rule_registry {
 public:
  static constexpr rule_id other = 0;  ///< `__other__`
  static constexpr std::size_t capacity = 2'001;

  /// The number of a name, given now if there is room.
  [[nodiscard]] rule_id admit(std::string_view name);

  /// The names by their numbers; valid UTF-8.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, rule_id, std::less<>> ids_{{"__other__", other}};
  std::vector<std::string> names_{"__other__"};
};

/// What a rule has done since the start.
struct rule_total {
  std::string name;
  std::array<std::uint64_t, rule_hit_count> by_hit{};
};

}  // namespace scattergate::telemetry
