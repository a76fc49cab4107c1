#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "advise/key_points.hpp"
#include "advise/measures.hpp"
#include "advise/traffic.hpp"
#include "advise/value_statistics.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::advise {

/// The traffic that is judged, and how.
struct setting {
  const routing::catalog& present;
  const traffic& sent;
  wire::namespace_view name;
  std::size_t shards = 3;
  std::optional<digest::wall_time> held_out_from;  ///< nothing: nothing is held out
  std::vector<routing::collection> neighbours;
};

/// Shard requests that a shape's commands would make, and their worst class.
struct shape_cost {
  double commands = 0;
  double shard_requests = 0;
  double scatters = 0;  ///< of the commands
  routing::routing_class worst = routing::routing_class::not_routed;

  [[nodiscard]] double per_command() const noexcept {
    return commands == 0 ? 0 : shard_requests / commands;
  }
};

/// What a key would make of the traffic: of all of it, of what came before the part that is
/// held out, and of that part. Where nothing is held out, the first two are the same.
struct evaluation {
  measures all;
  measures earlier;
  std::optional<measures> held_out;
  std::vector<shape_cost> shapes;  ///< of traffic::rows()
};

/// Nothing where MongoDB takes no such key. An empty key: the collection isn't sharded.
[[nodiscard]] std::optional<evaluation> evaluate(const setting& in, const shard_key& key,
                                                 const std::optional<value_statistics>& known);

}  // namespace scattergate::advise
