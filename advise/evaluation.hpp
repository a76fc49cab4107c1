#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "advise/key_points.hpp"
#include "advise/measures.hpp"
#include "advise/time_window.hpp"
#include "advise/traffic.hpp"
#include "advise/value_statistics.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::advise {

/// The input of an evaluation. Refers to objects that must outlive it.
struct evaluation_input {
  const routing::catalog& present;  ///< the catalog with the present keys
  const traffic& sent;              ///< the commands sent to the collection
  wire::namespace_view name;        ///< the collection
  std::size_t shards = 3;           ///< the number of shards to assume
  /// Determines which commands are held out from ranking, to test the result; empty: none are.
  std::optional<time_window> window;
  /// Catalog entries for views on the collection and for joined collections; see
  /// neighbours_of().
  std::vector<routing::collection> neighbours;
};

/// The cost of a shape's commands with one key.
struct shape_cost {
  double commands = 0;  ///< number of commands
  /// The number of shards that a command asks, summed over all commands.
  double shard_requests = 0;
  double refused = 0;   ///< commands that mongos would refuse
  double scatters = 0;  ///< commands that scatter and aren't refused
  /// Commands that ask every shard: those in `scatters` and `refused`, and commands whose
  /// filter narrows the key's range, but excludes no shard.
  double everywhere = 0;
  /// The worst routing class of these commands.
  routing::routing_class worst = routing::routing_class::not_routed;

  /// The mean number of shards that a command asks; 0 without commands.
  [[nodiscard]] double per_command() const noexcept {
    return commands == 0 ? 0 : shard_requests / commands;
  }
};

/// A key's effect on a collection's traffic.
struct evaluation {
  measures all;      ///< the effect on all traffic
  measures earlier;  ///< the effect on the traffic that isn't held out
  /// The effect on the held-out traffic; empty: nothing is held out.
  std::optional<measures> held_out;
  std::vector<shape_cost> shapes;  ///< one per traffic::rows()
};

/// Evaluates a key: judges all commands with it, and counts the results. std::nullopt if
/// MongoDB wouldn't accept the key. An empty key means that the collection isn't sharded.
/// `known`: statistics of the key's values from sketches (summaries of hashed values); empty:
/// none. If no command has values, they replace the values counted in commands.
[[nodiscard]] std::optional<evaluation> evaluate(const evaluation_input& input,
                                                 const shard_key& key,
                                                 const std::optional<value_statistics>& known);

}  // namespace scattergate::advise
