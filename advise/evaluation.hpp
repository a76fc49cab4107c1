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
  const routing::catalog& present;
  const traffic& sent;
  wire::namespace_view name;                    ///< the collection
  std::size_t shards = 3;                       ///< the number of shards to assume
  std::optional<time_window> window;            ///< empty: nothing is held out
  std::vector<routing::collection> neighbours;  ///< see neighbours_of()
};

/// The cost of a shape's commands with one key.
struct shape_cost {
  double commands = 0;
  double shard_requests = 0;  ///< sum over the commands of the shards that each asks
  double refused = 0;         ///< commands that mongos would refuse
  double scatters = 0;        ///< commands that scatter and aren't refused
  double everywhere = 0;      ///< commands that ask every shard: `scatters`, `refused`, and
                              ///< commands whose filter narrows the key's range, but excludes
                              ///< no shard
  routing::routing_class worst = routing::routing_class::not_routed;  ///< of the worst command

  [[nodiscard]] double per_command() const noexcept {
    return commands == 0 ? 0 : shard_requests / commands;
  }
};

/// A key's effect on the traffic.
struct evaluation {
  measures all;                      ///< of all traffic
  measures earlier;                  ///< of the traffic that isn't held out
  std::optional<measures> held_out;  ///< of the held-out traffic; empty: nothing is held out
  std::vector<shape_cost> shapes;    ///< one per traffic::rows()
};

/// Evaluates a key; std::nullopt if MongoDB wouldn't accept it. An empty key means that the
/// collection isn't sharded. `known`: statistics of the key's values from sketches, used if no
/// command has values; empty: unknown.
[[nodiscard]] std::optional<evaluation> evaluate(const evaluation_input& input,
                                                 const shard_key& key,
                                                 const std::optional<value_statistics>& known);

}  // namespace scattergate::advise
