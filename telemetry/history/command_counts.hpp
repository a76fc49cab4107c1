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

/// Counts of commands on a collection. Each command counts exactly once in its routing class,
/// or in `accepted` or `get_more`, which need no action. The other kinds count some of these
/// commands again.
struct command_counts {
  /// Indexes into `of`; the routing classes precede them.
  enum kind : std::size_t {
    findings = routing::routing_class_count,  ///< findings that no rule accepted
    accepted,
    get_more,
    errors,
    wasted,        ///< shard requests beyond one per command, if the fan-out is known
    fanout_known,  ///< commands with a known fan-out
    refused,       ///< findings rejected or throttled by a rule
  };
  static constexpr std::size_t kinds = refused + 1;

  std::array<std::uint64_t, kinds> of{};

  [[nodiscard]] std::span<const std::uint64_t, routing::routing_class_count> by_routing()
      const noexcept {
    return std::span{of}.first<routing::routing_class_count>();
  }
  /// The number of all commands.
  [[nodiscard]] std::uint64_t commands() const noexcept {
    const auto classes = by_routing();
    return std::accumulate(classes.begin(), classes.end(), of[accepted] + of[get_more]);
  }
  /// The wasted shard requests; std::nullopt if unknown. See digest::known_waste().
  [[nodiscard]] std::optional<std::uint64_t> known_waste() const noexcept {
    return digest::known_waste(commands(), by_routing(), of[fanout_known], of[wasted]);
  }
  void add(const command_counts& other) noexcept {
    for (std::size_t i = 0; i < kinds; ++i) of[i] += other.of[i];
  }
  /// The counts since `before`, an earlier state of this object.
  [[nodiscard]] command_counts since(const command_counts& before) const noexcept {
    command_counts come;
    for (std::size_t i = 0; i < kinds; ++i) come.of[i] = of[i] - before.of[i];
    return come;
  }

  friend bool operator==(const command_counts&, const command_counts&) = default;
};

/// The JSON name of an index into command_counts::of: a routing class's label, or for example
/// `wastedShardRequests`.
[[nodiscard]] std::string_view name_of(std::size_t kind) noexcept;

}  // namespace scattergate::telemetry
