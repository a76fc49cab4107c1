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

/// The input of an evaluation: traffic, present catalog and options.
struct setting {
  const routing::catalog& present;
  const traffic& sent;
  wire::namespace_view name;
  std::size_t shards = 3;
  std::optional<time_window> window;  ///< empty: nothing is held out
  std::vector<routing::collection> neighbours;
};

/// The cost of a shape's commands with one key.
struct shape_cost {
  double commands = 0;
  double shard_requests = 0;
  double refused = 0;     ///< commands that mongos would refuse
  double scatters = 0;    ///< commands that scatter, without refused ones
  double everywhere = 0;  ///< commands that ask every shard: `scatters`, `refused`, and those
                          ///< whose filter bounds the key although every shard has matching
                          ///< chunks
  routing::routing_class worst = routing::routing_class::not_routed;

  [[nodiscard]] double per_command() const noexcept {
    return commands == 0 ? 0 : shard_requests / commands;
  }
};

/// A key's effect on the traffic: on all of it, on the part before the held-out part
/// (`earlier`), and on the held-out part. If nothing is held out, `earlier` equals `all`.
struct evaluation {
  measures all;
  measures earlier;
  std::optional<measures> held_out;
  std::vector<shape_cost> shapes;  ///< one per traffic::rows()
};

/// Evaluates a key; std::nullopt if MongoDB wouldn't accept it. An empty key means that the
/// collection isn't sharded.
[[nodiscard]] std::optional<evaluation> evaluate(const setting& in, const shard_key& key,
                                                 const std::optional<value_statistics>& known);

}  // namespace scattergate::advise
