#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "advise/key_score.hpp"
#include "advise/shard_key.hpp"
#include "advise/sketched_values.hpp"
#include "advise/traffic.hpp"
#include "digest/row.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::advise {

/// The time from the first to the last command that has a time. Commands in the last fifth of
/// this time are held out: keys are ranked by all other commands, and tested on the held-out
/// commands. REQUIRES: first < last.
struct time_window {
  digest::wall_time first, last;  ///< the times of the first and last command

  /// The last 1/held_out_part of the window is held out.
  static constexpr int held_out_part = 5;

  /// The time at which the held-out part begins.
  [[nodiscard]] digest::wall_time held_out_from() const noexcept {
    return last - (last - first) / held_out_part;
  }
  /// Whether a command at this time is held out.
  [[nodiscard]] bool is_held_out(digest::wall_time at) const noexcept {
    return at >= held_out_from();
  }
};

/// The points of a shard key that a collection's commands use. A point is a combination of
/// values, one for each of the key's fields, or for each of its first fields. Refers to the
/// traffic and the key, which must outlive this object.
class key_points {
 public:
  /// The points of `key`; std::nullopt if traffic::fields() lacks one of its fields.
  [[nodiscard]] static std::optional<key_points> of(const traffic& sent, const shard_key& key);

  /// Calls `visit` for each point of the key's first `fields` fields that a statement of the
  /// command uses: its filter pins these fields to the point's values, or its new document has
  /// them. `visit` gets a point as one index for each field, into the field's field_values.
  /// Visits at most 64 points per statement, because the lengths of `$in` lists multiply.
  void for_each(const weighted_command& in, std::size_t fields,
                const std::function<void(std::span<const std::uint32_t>)>& visit) const;

  /// Splits the key's range into one chunk per shard. Returns the lower bounds of all chunks
  /// but the first, in order, each as an encoded complete key. If the key's first field is
  /// hashed, the chunks are equal ranges of hashes. Otherwise, each chunk has about equally
  /// many distinct points of the key's first (at most three) fields; if there are fewer points
  /// than shards, there are only as many chunks as points. Ignores commands that `window` holds
  /// out; an empty `window` holds out none.
  [[nodiscard]] std::vector<std::vector<std::byte>> bounds(
      std::size_t shards, const std::optional<time_window>& window) const;

  /// The number of the key's fields.
  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
  /// The key whose points these are.
  [[nodiscard]] const shard_key& key() const noexcept { return *key_; }
  /// The values in the traffic of the key's field number `i`. REQUIRES: i < size().
  [[nodiscard]] const field_values& field(std::size_t i) const noexcept {
    return in_->fields()[numbers_[i]];
  }

 private:
  key_points(const traffic& sent, const shard_key& key) : in_(&sent), key_(&key) {}
  [[nodiscard]] std::vector<std::byte> bound_of(std::span<const std::uint64_t> place) const;
  [[nodiscard]] std::vector<std::vector<std::byte>> hash_bounds(std::size_t shards) const;

  const traffic* in_;
  const shard_key* key_;
  std::vector<std::uint32_t> numbers_;  // of each key field: its index in traffic::fields()
};

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

/// The least number of requests per shard in a period for which the share of the most frequent
/// value is computed. Consecutive minutes with fewer requests are combined to one period: among
/// few requests, one value may get more than a shard's share by chance.
inline constexpr double least_per_shard = 10;

/// Evaluates a key: judges all commands with it, and counts the results. std::nullopt if
/// MongoDB wouldn't accept the key. An empty key means that the collection isn't sharded.
/// `known`: statistics of the key's values from sketches (summaries of hashed values); empty:
/// none. If no command has values, they replace the values counted in commands.
[[nodiscard]] std::optional<evaluation> evaluate(const evaluation_input& input,
                                                 const shard_key& key,
                                                 const std::optional<value_statistics>& known);

}  // namespace scattergate::advise
