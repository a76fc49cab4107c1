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

/// Counts of commands on a collection, as an array of numbers. Each command counts once under
/// its routing class, or instead under `accepted` or `get_more`. The other indexes count some
/// of these commands a second time, or count shard requests (`wasted`).
struct command_counts {
  /// The indexes into `of` that follow the routing classes. A finding is a command to report,
  /// such as a scatter.
  enum kind : std::size_t {
    findings = routing::routing_class_count,  ///< findings that no rule accepted, including
                                              ///< `refused`
    accepted,                                 ///< findings that a rule accepted
    get_more,                                 ///< getMore commands
    errors,                                   ///< commands with an error reply
    wasted,  ///< wasted shard requests: those beyond the first of a command; only for commands
             ///< in `fanout_known`
    fanout_known,  ///< commands for which the number of shards that mongos asked is known
    refused,       ///< findings that a rule rejected or a throttle refused
    scattering,    ///< scatter-gather findings that mongos got
  };
  /// The number of indexes into `of`.
  static constexpr std::size_t kinds = scattering + 1;

  /// The counts: first by routing::routing_class, then by `kind`.
  std::array<std::uint64_t, kinds> of{};

  /// The counts by routing class.
  [[nodiscard]] std::span<const std::uint64_t, routing::routing_class_count> by_routing()
      const noexcept {
    return std::span{of}.first<routing::routing_class_count>();
  }
  /// The number of all commands, each counted once.
  [[nodiscard]] std::uint64_t commands() const noexcept {
    const auto classes = by_routing();
    return std::accumulate(classes.begin(), classes.end(), of[accepted] + of[get_more]);
  }
  /// The wasted shard requests (those beyond the first of a command). std::nullopt if no
  /// command's number of shards is known; see digest::known_waste().
  [[nodiscard]] std::optional<std::uint64_t> known_waste() const noexcept {
    return digest::known_waste(commands(), by_routing(), of[fanout_known], of[wasted]);
  }
  /// Adds all counts of `other`.
  void add(const command_counts& other) noexcept {
    for (std::size_t i = 0; i < kinds; ++i) of[i] += other.of[i];
  }
  /// The counts added since `before`, an earlier state of this object.
  [[nodiscard]] command_counts since(const command_counts& before) const noexcept {
    command_counts come;
    for (std::size_t i = 0; i < kinds; ++i) come.of[i] = of[i] - before.of[i];
    return come;
  }

  friend bool operator==(const command_counts&, const command_counts&) = default;
};

/// Commands that scattergate didn't forward, because a rule rejected them or a throttle refused
/// them.
struct refusals {
  std::uint64_t all = 0;
  std::uint64_t scatters = 0;  ///< those with the routing class scatter_gather
};

/// The JSON name of an index into command_counts::of: a routing class's label, or the name of
/// a kind, such as `wastedShardRequests`.
[[nodiscard]] std::string_view name_of(std::size_t kind) noexcept;

}  // namespace scattergate::telemetry
