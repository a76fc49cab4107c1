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

/// Counts of commands on a collection, as an array of numbers by kind. Each command counts
/// exactly once: under its routing class, or as `accepted` or `get_more`, which need no
/// action. `findings`, `errors`, `fanout_known` and `refused` count some of these commands a
/// second time; `wasted` counts shard requests.
struct command_counts {
  /// The indexes into `of` after those of the routing classes.
  enum kind : std::size_t {
    findings = routing::routing_class_count,  ///< commands to report, such as scatters, that
                                              ///< no rule accepted
    accepted,                                 ///< findings that a rule accepted
    get_more,                                 ///< getMore commands
    errors,                                   ///< commands with an error reply
    wasted,        ///< shard requests beyond one per command; only commands in `fanout_known`
    fanout_known,  ///< commands for which the number of shards asked is known
    refused,       ///< findings that a rule rejected or throttled
  };
  /// The number of indexes into `of`.
  static constexpr std::size_t kinds = refused + 1;

  /// The counts: first by routing::routing_class, then by `kind`.
  std::array<std::uint64_t, kinds> of{};

  /// The counts by routing class.
  [[nodiscard]] std::span<const std::uint64_t, routing::routing_class_count> by_routing()
      const noexcept {
    return std::span{of}.first<routing::routing_class_count>();
  }
  /// The number of all commands.
  [[nodiscard]] std::uint64_t commands() const noexcept {
    const auto classes = by_routing();
    return std::accumulate(classes.begin(), classes.end(), of[accepted] + of[get_more]);
  }
  /// The shard requests beyond one per command; std::nullopt if no command's number of shards
  /// is known (see digest::known_waste()).
  [[nodiscard]] std::optional<std::uint64_t> known_waste() const noexcept {
    return digest::known_waste(commands(), by_routing(), of[fanout_known], of[wasted]);
  }
  /// Adds all counts of `other`.
  void add(const command_counts& other) noexcept {
    for (std::size_t i = 0; i < kinds; ++i) of[i] += other.of[i];
  }
  /// The difference to `before`, an earlier state of this object.
  [[nodiscard]] command_counts since(const command_counts& before) const noexcept {
    command_counts come;
    for (std::size_t i = 0; i < kinds; ++i) come.of[i] = of[i] - before.of[i];
    return come;
  }

  friend bool operator==(const command_counts&, const command_counts&) = default;
};

/// The JSON name of an index into command_counts::of: a routing class's label, or the name of
/// a kind, such as `wastedShardRequests`.
[[nodiscard]] std::string_view name_of(std::size_t kind) noexcept;

}  // namespace scattergate::telemetry
