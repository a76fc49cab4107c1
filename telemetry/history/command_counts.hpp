#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>

#include "digest/row.hpp"
#include "routing/verdict.hpp"

namespace scattergate::telemetry {

/// What is counted of commands on one collection. Each command counts once among the classes,
/// `accepted` and `get_more`; accepted findings and getMores stand apart, as they are no news
/// to anybody; findings are among the classes too.
struct command_counts {
  /// Places in `of` behind those of the routing classes.
  enum kind : std::size_t {
    findings = routing::routing_class_count,  ///< that no rule accepted
    accepted,
    get_more,
    errors,
    wasted,        ///< shard requests beyond one for each command, where the fan-out is known
    fanout_known,  ///< commands whose fan-out is known
    refused,       ///< findings that a rule rejected or throttled
  };
  static constexpr std::size_t kinds = refused + 1;

  std::array<std::uint64_t, kinds> of{};

  [[nodiscard]] std::span<const std::uint64_t, routing::routing_class_count> by_routing()
      const noexcept {
    return std::span{of}.first<routing::routing_class_count>();
  }
  [[nodiscard]] std::uint64_t commands() const noexcept {
    const auto classes = by_routing();
    return std::accumulate(classes.begin(), classes.end(), of[accepted] + of[get_more]);
  }
  /// The shard requests wasted; see digest::known_waste().
  [[nodiscard]] std::optional<std::uint64_t> known_waste() const noexcept {
    return digest::known_waste(commands(), by_routing(), of[fanout_known], of[wasted]);
  }
  void add(const command_counts& other) noexcept {
    for (std::size_t i = 0; i < kinds; ++i) of[i] += other.of[i];
  }
  /// What came since `before`, which was counted by the same.
  [[nodiscard]] command_counts since(const command_counts& before) const noexcept {
    command_counts come;
    for (std::size_t i = 0; i < kinds; ++i) come.of[i] = of[i] - before.of[i];
    return come;
  }

  friend bool operator==(const command_counts&, const command_counts&) = default;
};

/// What a place in command_counts::of is called in JSON: a class as its label, wasted as
/// `wastedShardRequests`.
[[nodiscard]] std::string_view name_of(std::size_t kind) noexcept;

}  // namespace scattergate::telemetry
